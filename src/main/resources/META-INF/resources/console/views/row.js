// One task in the list.
import {html, nothing} from '../lib.js';
import {active, printed, unseen} from '../state.js';
import {mayChange} from '../who.js';
import {ago, clock, long, outcome, plain, size} from '../words.js';

/** Running without a word for so long is told. */
const SILENT_MS = 5 * 60_000;

/** @param on {stop(task), label(text)} */
export const row = (task, now, on) => html`
    <li class="row ${active(task) ? 'active' : 'ended'}" data-id=${task.task_id}>
        <span class="dot ${dot(task)}" aria-hidden="true"></span>
        <div class="what">
            <a class="command" href="/tasks/${task.task_id}">${plain(task.summary)}</a>
            <p class="line">${line(task)}</p>
        </div>
        <div class="marks">
            ${marks(task, now)}
            ${Object.entries(task.labels).map(([key, value]) => label(`${key}=${value}`, on))}
            ${task.ports.map(port)}
        </div>
        <p class="state">${outcome(task)}</p>
        <p class="age">${age(task, now)}</p>
        ${active(task) && mayChange() ? html`
            <button class="quiet stop" @click=${() => on.stop(task)} ?disabled=${task.status === 'cancelling'}
                aria-label="Stop ${plain(task.summary)}">Stop</button>` : html`<span class="stop"></span>`}
    </li>`;

function dot(task) {
    if (active(task)) {
        return task.waiting === 'input' ? 'asks' : 'runs';
    }
    return task.status === 'completed' ? 'done' : task.status === 'failed' ? 'failed' : 'over';
}

function line(task) {
    const text = task.prompt ?? task.line;
    if (text) {
        return html`<bdi>${plain(text)}</bdi>`;
    }
    return printed(task) > 0 ? html`&nbsp;` : active(task) ? 'nothing printed yet' : 'printed nothing';
}

function marks(task, now) {
    const fresh = unseen(task);
    const last = task.output.last_output_at;
    const silent = active(task) && last ? now - Date.parse(last) : 0;
    return html`
        ${task.waiting === 'input' && active(task) ? html`<span class="mark-input">waits for input</span>` : nothing}
        ${silent > SILENT_MS ? html`<span class="mark-silent">silent for ${long(silent)}</span>` : nothing}
        ${fresh > 0 ? html`<span class="mark-unseen" title="printed since you looked">${size(fresh)} new</span>` : nothing}`;
}

const label = (text, on) => html`
    <button class="label" title="Only tasks with this label" @click=${() => on.label(text)}>${plain(text)}</button>`;

const port = number => html`
    <a class="port" href="http://${location.hostname}:${number}/" target="_blank" rel="noopener noreferrer"
        title="Opens port ${number}">:${number}</a>`;

function age(task, now) {
    const time = task.ended_at ?? task.started_at ?? task.created_at;
    return html`<time datetime=${time} title=${clock(time)}>${ago(time, now)}</time>`;
}
