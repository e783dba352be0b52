// Search in all of a task's output, by the server. What was found is a list of marks to jump to and back.
import {html, render, nothing} from '../lib.js';
import {get, query} from '../api.js';
import {plain} from '../words.js';

const MOST = 100;

export class Search {
    /** @param acts {opened(), jump(match), closed()} */
    constructor(place, id, acts) {
        this.place = place;
        this.id = id;
        this.acts = acts;
        this.shown = false;
        this.found = null;
        this.at = -1;
    }

    open() {
        this.acts.opened();
        this.shown = true;
        this.#draw();
        this.place.querySelector('input').focus();
        this.place.querySelector('input').select();
    }

    /** Answers whether there was something to close. */
    close() {
        const was = this.shown;
        this.shown = false;
        this.found = null;
        this.problem = null;
        this.#draw();
        if (was) {
            this.acts.closed();
        }
        return was;
    }

    /** To the next match, or the one before; around at the ends. */
    step(by) {
        const matches = this.found?.matches ?? [];
        if (matches.length > 0) {
            this.#go((this.at + by + matches.length) % matches.length);
        }
    }

    /** The last ones, or the first: of many only so many are answered. */
    async #find(event, first = false) {
        event.preventDefault();
        const form = new FormData(this.place.querySelector('form'));
        const pattern = form.get('pattern');
        if (pattern === '') {
            return;
        }
        this.problem = null;
        this.looking = true;
        this.#draw();
        try {
            const asked = form.get('as') === 'words' ? pattern.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&') : pattern;
            const found = await get(query(`/v1/tasks/${this.id}/output/search`, {
                pattern: form.get('case') ? asked : `(?i)${asked}`, context: 1, max: MOST, from_end: !first,
            }));
            // From the end the newest comes first; they are shown as they stand in the log.
            this.found = {first, more: found.more, matches: first ? found.matches : found.matches.reverse()};
            this.at = this.found.matches.length;
            this.highlight = expression(asked, form.get('case'));
        } catch (failure) {
            this.found = null;
            this.problem = failure.problem ? failure.message.replace('`(?i)', '`') : 'The server does not answer.';
        }
        this.looking = false;
        this.#draw();
        if (this.found?.matches.length) {
            this.#go(first ? 0 : this.found.matches.length - 1);
            this.place.querySelector('.matches').focus(); // else n and N would be typed
        }
    }

    #go(at) {
        this.at = at;
        this.#draw();
        const list = this.place.querySelector('.matches');
        const row = list.querySelector('[aria-current]');
        list.scrollTop = row.offsetTop - list.offsetTop - (list.clientHeight - row.offsetHeight) / 2;
        this.acts.jump(this.found.matches[at]);
    }

    #draw() {
        render(this.shown ? html`
            <form class="search" role="search" @submit=${event => this.#find(event)} @keydown=${event => this.#leave(event)}>
                <input type="search" name="pattern" aria-label="Search in all of the output" placeholder="Search in all of it" autocomplete="off" spellcheck="false">
                <select name="as" aria-label="Search for"><option value="words">text</option><option value="re2">pattern (RE2)</option></select>
                <label><input type="checkbox" name="case"> Case</label>
                <button>Find</button>
                <button type="button" class="quiet" title="esc" @click=${() => this.close()}>Close</button>
                <span class="soft" role="status">${this.#summary()}</span>
                ${this.found?.more ? html`<button type="button" @click=${event => this.#find(event, !this.found.first)}>${
                    this.found.first ? 'The last ones' : 'The first ones'}</button>` : nothing}
            </form>
            ${this.found?.matches.length ? html`
                <ol class="matches" tabindex="0" aria-label="Matches">${this.found.matches.map((match, i) => this.#match(match, i))}</ol>` : nothing}` : nothing, this.place);
    }

    #summary() {
        if (this.looking) {
            return 'Searching…';
        }
        if (this.problem || !this.found) {
            return this.problem ?? '';
        }
        const {first, matches, more} = this.found;
        return matches.length === 0 ? 'No line matches.'
            : `${this.at + 1} of ${more ? `the ${first ? 'first' : 'last'} ${matches.length}` : matches.length}; n and N go from one to the next`;
    }

    #match(match, i) {
        return html`
            <li><button class="match" aria-current=${i === this.at ? 'true' : nothing} @click=${() => this.#go(i)}>
                <span class="number">${match.line ?? '…'}</span>
                <span class="lines">${match.before.map(line => html`<span class="around">${plain(line)}</span>`)}
                    <span>${marked(plain(match.text), this.highlight)}</span>
                    ${match.after.map(line => html`<span class="around">${plain(line)}</span>`)}</span>
            </button></li>`;
    }

    #leave(event) {
        if (event.key === 'Escape') {
            event.preventDefault();
            this.close();
        }
    }
}

/** The same as the server's where the browser's dialect has it; else nothing is marked within a line. */
function expression(pattern, exact) {
    try {
        return new RegExp(pattern, exact ? 'u' : 'iu');
    } catch {
        return null;
    }
}

function marked(text, highlight) {
    const hit = highlight?.exec(text);
    return hit?.[0]
        ? html`${text.slice(0, hit.index)}<mark>${hit[0]}</mark>${text.slice(hit.index + hit[0].length)}`
        : text;
}
