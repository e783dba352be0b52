// The last line of what each task in view has printed: a few small reads a second, of those that printed since.
import {get} from './api.js';
import {learnLine, printed} from './state.js';

const PACE_MS = 500;
const AT_ONCE = 2;
const AT_ONCE_NEW = 12;
const BYTES = 400;
const LONGEST = 200;

/** Reads on until the answered function is called. `inView` answers the tasks that are seen now. */
export function keepLastLines(inView) {
    let reading = 0;

    function readSome() {
        if (reading > 0 || document.hidden) {
            return;
        }
        const stale = inView().filter(task => task.lineAt < printed(task));
        const never = stale.filter(task => task.lineAt < 0).slice(0, AT_ONCE_NEW);
        const chosen = never.length ? never : oldestRead(stale).slice(0, AT_ONCE);
        reading = chosen.length;
        chosen.forEach(task => read(task).finally(() => reading--));
    }

    const timer = setInterval(readSome, PACE_MS);
    readSome();
    return () => clearInterval(timer);
}

const oldestRead = tasks => tasks.sort((a, b) => a.lineRead - b.lineRead);

/** The one that was seen to print last; of both at once the end would be cut. */
const stream = task => task.lastStream ?? (task.output.stdout_bytes > 0 ? 'stdout' : 'stderr');

async function read(task) {
    const at = printed(task);
    task.lineRead = performance.now();
    try {
        const {text} = at === 0 ? {text: ''} : await get(`/v1/tasks/${task.task_id}/output?stream=${stream(task)}&cursor=-${BYTES}&max_bytes=${BYTES}`);
        const lines = text.split('\n').filter(line => line.trim() !== '');
        learnLine(task, (lines.at(-1) ?? '').trim().slice(0, LONGEST), at);
    } catch {
        task.lineAt = at; // until it prints again
    }
}
