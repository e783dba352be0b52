// What a task shows: its log, and of one with a terminal that first.
import {html, render} from '../lib.js';
import {openLog} from './logview.js';
import {openTerminal} from './terminal.js';

/**
 * @param narrow whether it has but a column
 * @returns {update(task), follow(), type(), escape(), keys, close()}
 */
export function openOutput(root, first, refresh, narrow = false) {
    let task = first;
    let log = null;
    let terminal = null;
    let closed = false;
    const tty = task.command.tty;
    render(html`<div class="kinds"></div><div class="terminal-part" hidden></div><div class="log-part" hidden></div>`, root);
    const [kinds, terminalPart, logPart] = ['.kinds', '.terminal-part', '.log-part'].map(name => root.querySelector(name));

    /** What was opened stays as it is while the other is looked at. */
    function show(kind) {
        logPart.hidden = kind !== 'log';
        terminalPart.hidden = kind !== 'terminal';
        if (kind === 'log') {
            log ??= openLog(logPart, task);
        } else {
            terminal ??= openTerminal(terminalPart, task, refresh, narrow).then(opened => {
                if (closed) {
                    opened.close();
                }
                return opened;
            });
        }
        if (tty) {
            render(html`<span class="switch" role="group" aria-label="Show">
                <button aria-pressed=${kind === 'terminal'} @click=${() => show('terminal')}>Terminal</button>
                <button aria-pressed=${kind === 'log'} @click=${() => show('log')}>Log</button></span>`, kinds);
        }
        return log;
    }

    show(tty ? 'terminal' : 'log');
    return {
        update(now) {
            task = now;
            log?.grow(now);
            terminal?.then(opened => closed || opened.update(now));
        },
        follow: () => log?.follow(),
        type() {
            if (tty) {
                show('terminal');
                terminal.then(opened => opened.focus());
            }
        },
        escape: () => log?.search.close() ?? false,
        keys: [
            {key: 'f', does: 'follow, or stay', run: () => show('log').toggle()},
            {key: 'g Home', does: 'to its beginning', run: () => show('log').start()},
            {key: 'G End', does: 'to its end', run: () => show('log').follow()},
            {key: '/', does: 'search in all of it', run: () => show('log').search.open()},
            {key: 'n', does: 'next match', run: () => log?.search.step(1)},
            {key: 'N', does: 'match before', run: () => log?.search.step(-1)},
        ],
        close() {
            closed = true;
            log?.close();
            terminal?.then(opened => opened.close());
        },
    };
}
