// A command with the words that decided made to stand out.
import {html} from './lib.js';
import {plain} from './words.js';

/**
 * `given` are they, as a list or joined by blanks. Where the words are not in the text as they are (a quote, two
 * blanks), they are said beside it.
 */
export function decided(command, given) {
    const words = [given ?? ''].flat().join(' ');
    const at = words ? command.indexOf(words) : -1;
    if (at < 0) {
        return html`<p class="command-text">${plain(command)}</p>
            ${words ? html`<p class="words">What decided: <mark>${plain(words)}</mark></p>` : ''}`;
    }
    return html`<p class="command-text">${plain(command.slice(0, at))}<mark>${plain(words)}</mark>${plain(command.slice(at + words.length))}</p>`;
}

/** The classes of a command, as small tags. */
export const classes = names => html`${(names ?? []).map(name => html`<span class="tag ${name}">${name.replace('_', ' ')}</span> `)}`;
