// How much of each task's output was there when somebody last looked, kept by the browser over a reload.
const KEY = 'holdfast.seen';
const MOST = 2000;

let kept = null;

/** Bytes, or undefined where nothing is known. */
export function seenBefore(id) {
    kept ??= read();
    return kept[id];
}

/** Keeps these; `all`: there are no others any more, what was kept of them goes. */
export function keepSeen(tasks, all) {
    const others = all ? [] : Object.entries((kept ??= read()));
    const these = [...tasks].map(task => [task.task_id, task.seen]);
    kept = Object.fromEntries([...others, ...these].slice(-MOST));
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
