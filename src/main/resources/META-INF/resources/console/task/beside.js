// Another task to be followed beside those that are shown.
import {html, repeat} from '../lib.js';
import {go} from '../main.js';
import {active, state} from '../state.js';
import {plain} from '../words.js';

/** The newest of those that run: a list of a thousand would not be read. */
const MOST = 30;

/** A choice among the others that run, to be seen side by side with these; nothing where no other runs. */
export function beside(ids) {
    const others = [...state.tasks.values()].filter(task => active(task) && !ids.includes(task.task_id))
        .sort((a, b) => (a.task_id < b.task_id ? 1 : -1)).slice(0, MOST);
    return others.length === 0 ? '' : html`
        <select class="beside" aria-label="Show another task beside it" @change=${event => go(sideBySide([...ids, event.target.value]))}>
            <option value="">Beside…</option>
            ${repeat(others, task => task.task_id, task => html`<option value=${task.task_id}>${plain(task.summary)}</option>`)}
        </select>`;
}

/** The address of these tasks. */
export const sideBySide = ids => `/tasks/${ids.join(',')}`;
