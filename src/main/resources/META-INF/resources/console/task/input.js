// A line for a task that reads its stdin.
import {html, render, nothing} from '../lib.js';
import {post} from '../api.js';
import {fail, say} from '../messages.js';
import {active} from '../state.js';
import {mayChange} from '../who.js';
import {plain} from '../words.js';

/** Whether there is a place to type at all. */
const takesLines = task => active(task) && task.command.accepts_input && !task.command.tty && mayChange();

/** Draws the field into its place, or nothing. */
export function drawInput(place, task) {
    render(takesLines(task) ? html`
        <form class="input ${task.waiting === 'input' ? 'asked' : ''}" @submit=${event => sendLine(event, task)}>
            <label for="input-line">${task.waiting === 'input' ? html`<strong>Waits for input</strong>${task.prompt ? html` <code>${plain(task.prompt)}</code>` : nothing}` : 'Input'}</label>
            <input id="input-line" name="line" autocomplete="off" autocapitalize="off" spellcheck="false">
            <button class="strong">Send</button>
            <button type="button" @click=${() => send(task, {eof: true}, 'Its input has ended.')}>End of input</button>
        </form>` : nothing, place);
}

async function sendLine(event, task) {
    event.preventDefault();
    const field = event.target.elements.line;
    const text = field.value;
    field.value = '';
    if (!await send(task, {text: `${text}\n`})) {
        field.value ||= text;
    }
}

async function send(task, body, said) {
    try {
        await post(`/v1/tasks/${task.task_id}/input`, body);
        if (said) {
            say(said);
        }
        return true;
    } catch (failure) {
        fail(failure);
        return false;
    }
}
