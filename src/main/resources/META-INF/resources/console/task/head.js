// What a task is and how it stands.
import {html, nothing} from '../lib.js';
import {active} from '../state.js';
import {ago, clock, long, outcome, plain, size} from '../words.js';
import {actions} from './actions.js';

const LEFT_SHOWN = 5;

export const head = (task, refresh) => html`
    <h1 class="command-text">${plain(task.summary)}</h1>
    <p class="standing">
        <span class="dot ${dot(task)}" aria-hidden="true"></span>
        <span class="now" role="status">
            <strong class="state">${active(task) ? task.status : outcome(task)}</strong>
            ${task.waiting === 'input' ? html`<span class="mark-input">waits for input</span>` : nothing}
        </span>
        <span class="soft" title=${clock(task.created_at)}>${age(task)}</span>
        ${links(task.ports ?? [])}
        ${Object.entries(task.labels ?? {}).map(([key, value]) => html`<span class="label">${plain(key)}=${plain(value)}</span>`)}
        ${actions(task, refresh)}
    </p>
    ${task.forgotten ? html`<p class="why" role="status">This task was forgotten, and its output with it. What you see is no longer kept.</p>` : nothing}
    ${why(task)}
    ${task.left_running?.length ? left(task.left_running) : nothing}`;

const links = ports => ports.map(port => html`<a class="port" target="_blank" rel="noopener noreferrer"
    href="http://${location.hostname}:${port}/">:${port}</a>`);

/** What it started and still runs after its end. */
const left = all => html`
    <ul class="left" role="list" aria-label="Left running">${all.slice(0, LEFT_SHOWN).map(({pid, command, ports}) => html`
        <li>Left running: ${links(ports)} <code>${plain(command)}</code> <span class="soft">pid ${pid}</span></li>`)}
        ${all.length > LEFT_SHOWN ? html`<li class="soft">and ${all.length - LEFT_SHOWN} more</li>` : nothing}
    </ul>`;

/** What its dot is drawn as. */
export function dot(task) {
    return active(task)
        ? task.waiting === 'input' ? 'asks' : ''
        : task.status === 'completed' ? 'done' : task.status === 'failed' ? 'failed' : 'over';
}

function age(task) {
    const from = Date.parse(task.started_at ?? task.created_at);
    return active(task)
        ? `for ${long(Date.now() - from)}`
        : `after ${long(Date.parse(task.ended_at) - from)}, ${ago(task.ended_at)}`;
}

const ENDED_BY = {
    signal: ({exit_signal: signal}) => `It was ended by signal ${signal}.`,
    timeout: () => 'It was ended at its time limit.',
    idle_timeout: () => 'It was ended after too long without output.',
    output_limit: () => 'It was ended for printing more than it may.',
    reboot: () => 'The machine was started anew while it ran.',
    unknown: () => 'How it ended could not be learnt.',
};

/** Why it ended, where that is more than its exit. */
function why(task) {
    const {details = {}} = task;
    const said = [
        ENDED_BY[task.ended_by]?.(task),
        details.out_of_memory ? `The kernel had no memory left and killed ${plain(details.killed_name ?? 'a process of it')}.` : null,
        details.output_may_be_missing ? 'What it printed last may be missing: the keeper of its terminal did not answer.' : null,
        details.may_be_signal ? `That exit code may be ${plain(details.may_be_signal)}: nobody saw which.` : null,
    ].filter(Boolean).join(' ');
    const owner = details.port_owner;
    return html`
        ${said ? html`<p class="why">${said}</p>` : nothing}
        ${owner ? html`<p class="why">Port ${owner.port} is held by
            ${owner.task_id ? html`<a href="/tasks/${owner.task_id}">${plain(owner.command ?? owner.task_id)}</a>` : plain(owner.command ?? (owner.pid ? `pid ${owner.pid}` : `another user's process`))}.</p>` : nothing}`;
}

/** The command as it was given, not cut and on its own lines. */
const whole = ({command: {cmd, argv}}) => cmd ?? argv.join(' ');

/** Command, folder, processes and what else one looks up now and then. */
export const about = task => html`
    <dl class="about">
        <dt>Command</dt><dd><code class="command-text" tabindex="0" role="region" aria-label="Command">${plain(whole(task))}</code></dd>
        <dt>Folder</dt><dd><code>${plain(task.command.workdir)}</code></dd>
        ${task.command.shell ? html`<dt>Shell</dt><dd><code>${task.command.shell}${task.command.login ? ' (login)' : ''}</code></dd>` : nothing}
        ${task.command.env_keys.length ? html`<dt>Environment</dt><dd><code>${plain(task.command.env_keys.join(' '))}</code></dd>` : nothing}
        ${task.command.sandbox ? html`<dt>Wall</dt><dd>${task.command.sandbox}${task.command.network ? ', with the network' : ''}</dd>` : nothing}
        <dt>Printed</dt><dd>${size(task.output.stdout_bytes)} stdout, ${size(task.output.stderr_bytes)} stderr${task.output.omitted_bytes
            ? `, ${size(task.output.omitted_bytes)} of it not kept` : ''}</dd>
        <dt>Id</dt><dd><code>${task.task_id}</code></dd>
    </dl>
    ${active(task) && task.processes?.length ? processes(task.processes) : nothing}`;

const processes = all => html`
    <div class="scrolls" tabindex="0" role="region" aria-label="Processes">
        <table>
            <caption>Processes</caption>
            <thead><tr><th scope="col">pid</th><th scope="col">parent</th><th scope="col">memory</th><th scope="col">CPU</th><th scope="col">command</th></tr></thead>
            <tbody>${all.map(one => html`
                <tr><td>${one.pid}</td><td>${one.parent_pid}</td><td>${size(one.memory_bytes)}</td><td>${long(one.cpu_ms)}</td>
                    <td><code>${plain(one.command)}</code></td></tr>`)}
            </tbody>
        </table>
    </div>`;
