// The terminal of a task, live: painted at once, typed into where one may, back by itself after the server was away.
import {html, render, nothing, terminalClass} from '../lib.js';
import {ask, dial, get} from '../api.js';
import {active} from '../state.js';
import {mayChange} from '../who.js';
import {plain} from '../words.js';
import {onTheme} from './palette.js';

const RETRY_MS = 700;
/** Others may resize it, which is not told. */
const SIZE_MS = 3000;
/** Of its box, in pixels, as in task.css. */
const PADDING = 8;
const LETTERS = 13;
const LEAST_LETTERS = 7;
const LEAST_ROWS = 2;
const LEAST_COLS = 10;
const PIECE = 64 * 1024;
/** DECTCEM. */
const CURSOR = 25;
const CLOSED_BY_SERVER = 1000;
const DENIED = 1008;
const MAC = navigator.platform.startsWith('Mac');
/** What ctrl-v is to a terminal, it is here too: the next key as it is. */
const PASTES = MAC ? 'cmd-v' : 'ctrl-shift-v';

/**
 * @param narrow whether its letters are made as small as shows it whole
 * @returns {update(task), focus(), close()}
 */
export async function openTerminal(root, first, refresh, narrow) {
    let task = first;
    let socket = null;
    let connected = false;
    /** Typed before there was a connection, or while there is none. */
    const unsent = [];
    let refusal = '';
    let fitting = false;
    /** Whether the program shows one. */
    let cursor = true;
    let scrolledAway = false;
    let closed = false;
    /** How wide one is for each pixel of its size; 0 while that is not known. */
    let letter = 0;
    const types = () => mayChange() && task.command.accepts_input && active(task);

    render(html`
        <div class="log-bar"></div>
        <div class="terminal-box" role="group" aria-label="Terminal of ${plain(task.summary)}"></div>`, root);
    const bar = root.querySelector('.log-bar');
    const box = root.querySelector('.terminal-box');
    const Terminal = await terminalClass().catch(failure => {
        render(html`<span class="soft" role="status">What shows a terminal did not come. Load the page again, or look at the log.</span>`, bar);
        throw failure;
    });
    const {rows, cols} = await screen().catch(() => ({rows: 24, cols: 80})); // what connects asks for it again
    const term = new Terminal({
        rows, cols, scrollback: 5000, fontSize: LETTERS, fontFamily: 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace',
        minimumContrastRatio: 4.5, disableStdin: !types(),
    });
    const untheme = onTheme(theme => term.setOption('theme', theme));
    term.open(box);
    term.attachCustomKeyEventHandler(event => !leaves(event) && !copies(event));
    box.addEventListener('copy', () => term.clearSelection());
    term.onData(data => send(new TextEncoder().encode(data)));
    term.onBinary(data => send(Uint8Array.from(data, character => character.charCodeAt(0))));
    const observer = new ResizeObserver(() => {
        if (narrow) {
            shrink();
        } else if (fitting) {
            fit();
        }
        followCursor();
    });
    term.onResize(shrink);
    term.onCursorMove(followCursor);
    for (const [final, visible] of [['h', true], ['l', false]]) {
        term.parser.registerCsiHandler({prefix: '?', final}, modes => {
            cursor = modes.includes(CURSOR) ? visible : cursor;
            return false;
        });
    }
    box.addEventListener('scroll', () => {
        scrolledAway = Math.abs(cursorOff()) > PADDING;
    }, {passive: true});
    observer.observe(box);
    const sizing = setInterval(followSize, SIZE_MS);

    function screen() {
        return get(`/v1/tasks/${task.task_id}/screen`);
    }

    function leaves(event) {
        const leave = event.ctrlKey && event.key === ']';
        if (leave && event.type === 'keydown') {
            event.preventDefault();
            term.blur();
            bar.querySelector('button')?.focus();
        }
        return leave;
    }

    /** ctrl-c, where something is selected: who wants it copied must not interrupt the program. The next one does. */
    function copies(event) {
        return !MAC && event.ctrlKey && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'c' && term.hasSelection();
    }

    /** In pieces: the server closes on a message of more than a MiB, and what was pasted would be lost. */
    function send(bytes) {
        if (!connected && types()) {
            unsent.push(bytes);
        }
        for (let at = 0; types() && connected && at < bytes.length; at += PIECE) {
            socket.send(bytes.subarray(at, at + PIECE));
        }
    }

    function connect() {
        if (closed) {
            return;
        }
        if (!active(task)) {
            showLast();
            return;
        }
        let painted = false;
        socket = dial(`/v1/tasks/${task.task_id}/terminal`);
        socket.binaryType = 'arraybuffer';
        socket.onopen = () => {
            connected = true;
            unsent.splice(0).forEach(send);
            draw();
            followSize();
        };
        socket.onmessage = ({data}) => {
            if (!painted) {
                painted = true;
                term.reset();
            }
            term.write(new Uint8Array(data));
        };
        socket.onclose = async ({code, reason}) => {
            connected = false;
            refusal = code === DENIED ? reason : '';
            draw();
            if (code === CLOSED_BY_SERVER) {
                await refresh();
            }
            setTimeout(connect, code === CLOSED_BY_SERVER && !active(task) ? 0 : RETRY_MS);
        };
    }

    /** As it stood when it ended. */
    async function showLast() {
        try {
            const size = await screen();
            const response = await ask(`/v1/tasks/${task.task_id}/screen`, {headers: {Accept: 'application/x-ansi'}});
            const paint = await response.text();
            term.reset();
            term.resize(size.cols, size.rows);
            term.write(paint);
            term.setOption('disableStdin', true);
        } catch {
            setTimeout(connect, RETRY_MS);
        }
    }

    async function followSize() {
        if (connected && !document.hidden && !fitting) {
            const size = await screen().catch(() => null);
            if (size && !fitting && (size.rows !== term.rows || size.cols !== term.cols)) {
                term.resize(size.cols, size.rows);
            }
        }
    }

    /** Gives the terminal the size of this page, for all who watch it. */
    function fit() {
        const shown = box.querySelector('.xterm-screen').getBoundingClientRect();
        const viewport = box.querySelector('.xterm-viewport');
        const scrollbar = viewport.offsetWidth - viewport.clientWidth;
        const size = {
            rows: Math.max(LEAST_ROWS, Math.floor((box.clientHeight - 2 * PADDING) / (shown.height / term.rows))),
            cols: Math.max(LEAST_COLS, Math.floor((box.clientWidth - 2 * PADDING - scrollbar) / (shown.width / term.cols))),
        };
        if (connected && (size.rows !== term.rows || size.cols !== term.cols)) {
            socket.send(JSON.stringify(size));
            term.resize(size.cols, size.rows);
        }
    }

    function shrink() {
        if (!narrow) {
            return;
        }
        letter ||= box.querySelector('.xterm-screen').getBoundingClientRect().width / term.cols / LETTERS;
        const viewport = box.querySelector('.xterm-viewport');
        const room = box.clientWidth - 2 * PADDING - (viewport.offsetWidth - viewport.clientWidth);
        const fits = letter > 0 ? Math.floor(room / term.cols / letter) : LETTERS;
        term.setOption('fontSize', Math.min(LETTERS, Math.max(LEAST_LETTERS, fits)));
    }

    /** How far its cursor's row, and a little around it, is below what is seen of it, in pixels; below 0: above. */
    function cursorOff() {
        const row = box.querySelector('.xterm-screen').offsetHeight / term.rows;
        const top = term.buffer.active.cursorY * row - box.scrollTop;
        return cursor && box.clientHeight > 0 ? Math.min(0, top) + Math.max(0, top + row + 2 * PADDING - box.clientHeight) : 0;
    }

    /** Where the box is lower than the terminal: what it asks is seen, until somebody looks elsewhere. */
    function followCursor() {
        if (!scrolledAway) {
            box.scrollTop += cursorOff();
        }
    }

    function toggleFit() {
        fitting = !fitting;
        if (fitting) {
            fit();
        }
        draw();
    }

    function toggleReader() {
        term.setOption('screenReaderMode', !term.getOption('screenReaderMode'));
        draw();
    }

    function draw() {
        const reader = term.getOption('screenReaderMode');
        render(html`
            ${types() ? html`
                <button @click=${() => term.focus()}>Type into it</button>
                ${narrow ? nothing : html`<button aria-pressed=${fitting} title="Others who watch get this size too"
                    @click=${toggleFit}>Fit to this page</button>`}` : nothing}
            <button class="quiet" aria-pressed=${reader} @click=${toggleReader}>For screen readers</button>
            <span class="soft" role="status">${standing()}</span>`, bar);
    }

    function standing() {
        return !active(task) ? 'The screen as it stood at the end.'
            : refusal || (connected ? (types() ? `ctrl-] leaves it, ${PASTES} pastes` : 'Watching') : 'Connecting…');
    }

    draw();
    connect();
    return {
        update(now) {
            task = now;
            draw();
        },
        focus: () => term.focus(),
        close() {
            closed = true;
            clearInterval(sizing);
            observer.disconnect();
            untheme();
            socket?.close();
            term.dispose();
        },
    };
}
