// One task in the list.
import {guard, html, nothing} from '../lib.js';
import {active, printed, unseen} from '../state.js';
import {mayChange} from '../who.js';
import {ago, clock, long, outcome, plain, size} from '../words.js';
import {dot} from '../task/head.js';

/** Running without a word for so long is told. */
const SILENT_MS = 5 * 60_000;

/**
 * Drawn anew only when something that it shows has changed: a list may have a thousand.
 *
 * @param on {stop(task), label(text)}
 */
export function row(task, now, on) {
    const [age, silence] = [ago(since(task), now), silent(task, now)];
    return guard([task, task.version, age, silence], () => drawn(task, age, silence, on));
}

const drawn = (task, age, silence, on) => html`
    <li class="row ${active(task) ? 'active' : 'ended'}" data-id=${task.task_id}>
        <span class="dot ${dot(task)}" aria-hidden="true"></span>
        <div class="what">
            <a class="command" href="/tasks/${task.task_id}">${plain(task.summary)}</a>
            <p class="line">${line(task)}</p>
        </div>
        <div class="marks">
            ${marks(task, silence)}
            ${Object.entries(task.labels).map(([key, value]) => label(`${key}=${value}`, on))}
            ${task.ports.map(port)}
        </div>
        <p class="state">${outcome(task)}</p>
        <p class="age"><time datetime=${since(task)} title=${clock(since(task))}>${age}</time></p>
        ${active(task) && mayChange() ? html`
            <button class="quiet stop" @click=${() => on.stop(task)} ?disabled=${task.status === 'cancelling'}
                aria-label="Stop ${plain(task.summary)}">Stop</button>` : html`<span class="stop"></span>`}
    </li>`;

function line(task) {
    const text = task.prompt ?? task.line;
    if (text) {
        return html`<bdi>${plain(text)}</bdi>`;
    }
    return printed(task) > 0 ? html`&nbsp;` : active(task) ? 'nothing printed yet' : 'printed nothing';
}

/** For how long, or nothing where that is not worth a word: who waits for input says why. */
function silent(task, now) {
    const last = task.output.last_output_at;
    const ms = active(task) && task.waiting !== 'input' && last ? now - Date.parse(last) : 0;
    return ms > SILENT_MS ? long(ms) : null;
}

function marks(task, silence) {
    const fresh = unseen(task);
    return html`
        ${task.waiting === 'input' && active(task) ? html`<span class="mark-input">waits for input</span>` : nothing}
        ${silence ? html`<span class="mark-silent">silent for ${silence}</span>` : nothing}
        ${fresh > 0 ? html`<span class="mark-unseen" title="since you looked">${task.command.tty ? 'changed' : `${size(fresh)} new`}</span>` : nothing}`;
}

const label = (text, on) => html`
    <button class="label" title="Only tasks with this label" @click=${() => on.label(text)}>${plain(text)}</button>`;

const port = number => html`
    <a class="port" href="http://${location.hostname}:${number}/" target="_blank" rel="noopener noreferrer"
        title="Opens port ${number}">:${number}</a>`;

const since = task => task.ended_at ?? task.started_at ?? task.created_at;
