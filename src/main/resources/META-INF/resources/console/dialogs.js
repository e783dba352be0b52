// Questions and the help of keys, in dialogs of the browser's own: they keep the focus and give it back.
import {html, render} from './lib.js';
import {bound} from './keys.js';

/** Asks which of some things to do, the last one proposed. Answers its value, or nothing. */
export function choose({title, text, choices}) {
    return open(html`
        <h2 id="dialog-title">${title}</h2>
        <p class="command-text">${text}</p>
        <form method="dialog" class="actions">
            <button value="">Cancel</button>
            ${choices.map(([value, action], i) => html`
                <button value=${value} class=${i === choices.length - 1 ? 'strong' : ''} ?autofocus=${i === choices.length - 1}>${action}</button>`)}
        </form>`);
}

const NAMES = {' ': 'space', ArrowDown: '↓', ArrowUp: '↑', Escape: 'esc', Enter: 'enter'};

export function help() {
    return open(html`
        <h2 id="dialog-title">Keys</h2>
        <dl class="keys">${bound().map(({key, does}) => html`
            <dt>${key.split(' ').map(one => html`<kbd>${NAMES[one] ?? one}</kbd> `)}</dt><dd>${does}</dd>`)}
        </dl>
        <form method="dialog" class="actions"><button autofocus>Close</button></form>`);
}

function open(content) {
    const dialog = document.createElement('dialog');
    dialog.setAttribute('aria-labelledby', 'dialog-title');
    render(content, dialog);
    document.body.append(dialog);
    dialog.showModal();
    return new Promise(answer => dialog.addEventListener('close', () => {
        dialog.remove();
        answer(dialog.returnValue);
    }));
}
