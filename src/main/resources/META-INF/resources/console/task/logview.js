// A log with what one does with it: follow, choose a stream, search.
import {html, render, nothing} from '../lib.js';
import {choose} from '../dialogs.js';
import {Log} from './log.js';
import {Search} from './search.js';
import {active} from '../state.js';
import {plain} from '../words.js';

const STREAMS = {all: 'Both', stdout: 'stdout', stderr: 'stderr'};

/**
 * Draws the log of a task into an element.
 *
 * @returns {grow(task), follow(), toggle(), start(), search, close()}
 */
export function openLog(root, task) {
    let sizes = sizesOf(task);
    let chosen = 'all';
    let over = !active(task);
    /** How it stood when the search was opened. */
    let before = null;
    render(html`
        <div class="log-bar"></div>
        <div class="search-place"></div>
        <div class="log-frame">
            <div class="log" role="log" aria-live="off" aria-label="Output of ${plain(task.summary)}" tabindex="0" @click=${clicked}></div>
            <button class="below" hidden>New output below ↓</button>
        </div>`, root);
    const bar = root.querySelector('.log-bar');
    const below = root.querySelector('.below');
    const log = new Log(root.querySelector('.log'), task.task_id, draw);
    const search = new Search(root.querySelector('.search-place'), task.task_id, {opened, jump, closed});

    below.addEventListener('click', () => log.follow());
    log.show(shown());

    function shown() {
        return chosen === 'all' ? {...sizes} : {[chosen]: sizes[chosen]};
    }

    function pick(stream) {
        chosen = stream;
        log.following = true;
        draw();
        return log.show(shown());
    }

    async function jump(match) {
        if (!(match.stream in shown())) {
            await pick(match.stream);
        }
        await log.jump(match.stream, match.offset);
    }

    function opened() {
        before ??= {chosen, following: log.following};
    }

    /** As it was before. */
    async function closed() {
        const {chosen: stream, following} = before;
        before = null;
        if (stream !== chosen) {
            await pick(stream);
        } else if (following && !log.following) {
            await log.follow();
        }
    }

    function clicked(event) {
        const alone = event.target.closest('button.alone');
        if (alone) {
            pick(alone.dataset.stream);
        } else if (event.target.closest('summary')) {
            log.stay(); // who unfolds it reads it
        } else {
            outside(event);
        }
    }

    function toggle() {
        if (log.following) {
            log.stay();
        } else {
            log.follow();
        }
    }

    function draw() {
        below.hidden = !log.fresh;
        render(html`
            ${over ? html`<button class="follow" title="G" ?disabled=${log.following} @click=${() => log.follow()}>To its end</button>` : html`
                <button class="follow" aria-pressed=${log.following} title="f" @click=${toggle}>${log.following ? 'Following' : 'Follow'}</button>`}
            ${sizes.stderr > 0 && !task.command.tty ? html`
                <span class="switch" role="group" aria-label="Stream">${Object.entries(STREAMS).map(([stream, name]) => html`
                    <button aria-pressed=${chosen === stream} @click=${() => pick(stream)}>${name}</button>`)}</span>` : nothing}
            <button title="/" @click=${() => search.open()}>Search</button>
            ${log.problem ? html`<span class="soft" role="status">${log.problem.problem ? log.problem.message : 'Reading goes on when the server is back.'}</span>` : nothing}`, bar);
    }

    draw();
    return {
        grow(now) {
            const [had, was] = [sizes.stderr > 0, over];
            sizes = sizesOf(now);
            over = !active(now);
            log.grow(sizes);
            if (had !== (sizes.stderr > 0) || was !== over) {
                draw();
            }
        },
        follow: () => log.follow(),
        start: () => log.start(),
        toggle,
        search,
        close: () => log.close(),
    };
}

function sizesOf({output, command}) {
    return command.tty ? {stdout: output.stdout_bytes} : {stdout: output.stdout_bytes, stderr: output.stderr_bytes};
}

/** A link that a command printed: asks, for its text may say another address. */
async function outside(event) {
    const address = event.target.closest('button.outside')?.dataset.address;
    if (address && await choose({title: 'Open this address?', text: plain(address), choices: [['open', 'Open']]})) {
        window.open(address, '_blank', 'noopener,noreferrer');
    }
}
