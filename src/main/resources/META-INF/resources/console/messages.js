// What has become of what one did: said in a corner, without taking the focus.
import {html, render, repeat} from './lib.js';
import {Refused} from './api.js';
import {said} from './said.js';

const SAID_MS = 6000;

let place = null;
let messages = [];
let last = 0;

/** Draws into this element from now on. */
export function showIn(element) {
    place = element;
    draw();
}

export function say(text) {
    const id = add({text, hint: '', wrong: false});
    setTimeout(() => drop(id), SAID_MS);
}

/** Stays until it is put away, with what to do now. */
export function fail(error) {
    if (error instanceof Refused) {
        add({text: error.message, hint: error.hint, wrong: true});
    } else {
        add({text: 'The server does not answer.', hint: 'It may be starting again; try once more in a moment.', wrong: true});
    }
}

function add(message) {
    last++;
    messages = [...messages.slice(-3), {...message, id: last}];
    draw();
    return last;
}

function drop(id) {
    messages = messages.filter(message => message.id !== id);
    draw();
}

function draw() {
    if (place) {
        render(repeat(messages, message => message.id, message => html`
            <div class="message ${message.wrong ? 'wrong' : ''}" role=${message.wrong ? 'alert' : 'status'}>
                <p>${said(message.text)}${message.hint ? html`<small>${said(message.hint)}</small>` : ''}</p>
                <button class="quiet" aria-label="Put this message away" @click=${() => drop(message.id)}>✕</button>
            </div>`), place);
    }
}
