// A command with the words that decided made to stand out.
import {html} from './lib.js';
import {plain} from './words.js';

/**
 * @param all the words of each of its commands that decided, joined by blanks, in their order. Where they are not in the
 *     text as they are (a quote, two blanks, a text that is cut), they are said beside it
 */
export function decided(command, all) {
    const text = [];
    const beside = [];
    let from = 0;
    for (const words of all.filter(one => one)) {
        const at = command.indexOf(words, from);
        if (at < 0) {
            beside.push(words);
        } else {
            text.push(plain(command.slice(from, at)), html`<mark>${plain(words)}</mark>`);
            from = at + words.length;
        }
    }
    return html`<p class="command-text">${text}${plain(command.slice(from))}</p>
        ${beside.length ? html`<p class="words">${text.length ? 'Decided too' : 'What decided'}: ${beside.map(words => html`<mark>${plain(words)}</mark> `)}</p>` : ''}`;
}

/** The classes of a command, as small tags. */
export const classes = names => html`${(names ?? []).map(name => html`<span class="tag ${name}">${name.replace('_', ' ')}</span> `)}`;
