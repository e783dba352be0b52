// What a person does with a task. Who only looks has none of it but the id.
import {html, nothing} from '../lib.js';
import {post} from '../api.js';
import {choose} from '../dialogs.js';
import {go} from '../main.js';
import {fail, say} from '../messages.js';
import {active, learn} from '../state.js';
import {mayChange} from '../who.js';
import {plain} from '../words.js';
import {beside} from './beside.js';

const SIGNALS = ['INT', 'TERM', 'HUP', 'QUIT', 'USR1', 'USR2', 'KILL', 'STOP', 'CONT', 'WINCH'];

export const actions = (task, refresh) => html`
    <span class="task-actions">
        ${mayChange() ? changing(task, refresh) : nothing}
        ${beside([task.task_id])}
        <button class="quiet" @click=${() => copyId(task)}>Copy id</button>
    </span>`;

const changing = (task, refresh) => html`
    ${active(task) ? html`
        <button class="stop" @click=${() => stop(task)}>Stop</button>
        <select aria-label="Send a signal" @change=${event => signal(task, event.target, refresh)}>
            <option value="">Signal…</option>
            ${SIGNALS.map(name => html`<option>${name}</option>`)}
        </select>` : task.left_running.length ? html`
        <button class="quiet" @click=${() => sweep(task, refresh)}>End what it left</button>` : nothing}
    <button @click=${() => runAgain(task)}>Run again</button>`;

/** Asks, and stops it: at once, or with its grace. */
export async function stop(task) {
    const answer = await choose({
        title: 'Stop this task?',
        text: plain(task.summary),
        choices: [['force', 'Kill at once'], ['stop', 'Stop']],
    });
    if (answer) {
        await tried(async () => {
            const outcome = await post(`/v1/tasks/${task.task_id}/stop`, {force: answer === 'force'});
            learn(outcome.task);
            say(outcome.summary_text);
        });
    }
}

async function sweep(task, refresh) {
    await tried(async () => say((await post(`/v1/tasks/${task.task_id}/stop`)).summary_text));
    refresh();
}

async function signal(task, select, refresh) {
    const name = select.value;
    select.value = '';
    if (name) {
        await tried(async () => {
            await post(`/v1/tasks/${task.task_id}/signal`, {signal: name});
            say(`${name} was sent to its processes.`);
        });
        refresh();
    }
}

async function copyId(task) {
    try {
        await navigator.clipboard.writeText(task.task_id);
        say('The id is copied.');
    } catch {
        say(`This page may not copy. The id is ${task.task_id}`);
    }
}

async function runAgain(task) {
    const {command} = task;
    if (await masked(command)) {
        say('Its text holds secrets that are not shown, so it cannot be run again from here.');
        return;
    }
    const unset = command.env_keys.length
        ? `Its variables are not kept, and will not be set: ${plain(command.env_keys.join(' '))}.`
        : null;
    if (unset && !await choose({title: 'Run it without its variables?', text: unset, choices: [['run', 'Run']]})) {
        return;
    }
    await tried(async () => {
        const answer = await post('/v1/commands', {
            ...(command.argv ? {argv: command.argv} : {cmd: command.cmd, shell: command.shell, login: command.login}),
            workdir: command.workdir,
            tty: command.tty,
            accepts_input: command.accepts_input,
            // What is undefined is not sent.
            rows: command.rows,
            cols: command.cols,
            timeout_ms: command.timeout_ms,
            idle_timeout_ms: command.idle_timeout_ms,
            on_exit: command.on_exit,
            ...(command.sandbox ? {sandbox: command.sandbox, network: command.network} : {}),
            labels: task.labels,
            yield_time_ms: 0,
            duplicate_policy: 'start_new',
        });
        const next = answer.task_handle?.task_id;
        if (next) {
            await go(`/tasks/${next}`);
        } else {
            say('A person is asked first: see Approvals.');
        }
    });
}

/** Whether the text that is shown is not the one that ran. Where the browser can't tell, the server's mask does. */
async function masked({cmd, argv, cmd_digest: digest}) {
    const text = argv ? argv.map(word => `${word}\0`).join('') : cmd;
    if (!globalThis.crypto?.subtle) {
        return text.includes('***');
    }
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
    return !digest.endsWith([...hash].map(byte => byte.toString(16).padStart(2, '0')).join(''));
}

async function tried(action) {
    try {
        await action();
    } catch (failure) {
        fail(failure);
    }
}
