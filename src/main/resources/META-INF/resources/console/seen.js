// How much of each task's output was there when somebody last looked, kept by the browser over a reload.
const KEY = 'holdfast.seen';
const MOST = 2000;

let kept = null;

/** Bytes, or undefined where nothing is known. */
export function seenBefore(id) {
    kept ??= read();
    return kept[id];
}

/** Replaces what was kept. */
export function keepSeen(tasks) {
    kept = Object.fromEntries([...tasks].slice(-MOST).map(task => [task.task_id, task.seen]));
    try {
        localStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
        // no room or not allowed: the marks begin anew with the next load
    }
}

function read() {
    try {
        return JSON.parse(localStorage.getItem(KEY)) ?? {};
    } catch {
        return {};
    }
}
