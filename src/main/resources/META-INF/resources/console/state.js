// What is known of tasks and approvals, kept true by the feed of all tasks, and told to the views.
import {get, query} from './api.js';
import {follow} from './feed.js';
import {seenBefore, keepSeen} from './seen.js';

/** Between two drawings for what tasks print. What begins, ends or asks is drawn with the next frame. */
const OUTPUT_MS = 500;
/**
 * A page that nobody looks at lets go of the feed: the server need not look either, and a browser has but six
 * connections for all its pages of a server.
 */
const REST_MS = 5_000;
const APPROVALS_MS = 30_000;
/** Ended tasks, and answered approvals, that are kept in memory. */
export const KEPT = 1000;
const PAGE = 100;
const FEW = 8;

/** The views read; this module writes. `connection`: connecting, live, away. */
export const state = {connection: 'connecting', listed: false, tasks: new Map(), approvals: new Map()};

const watchers = new Set();
let unknown = new Set();
/** Events that come while a listing is under way, to be taken after it; null where none is. */
let held = null;
/** Events of each task that is being asked for, to be taken after the answer, which may be older than they are. */
const early = new Map();
let feed = null;
let looking = [];

export const active = task => !task.ended_at && !['completed', 'failed', 'cancelled', 'interrupted'].includes(task.status);
export const printed = task => task.output.stdout_bytes + task.output.stderr_bytes;
export const unseen = task => Math.max(0, printed(task) - task.seen);

/** A task is drawn anew only where its `version` is another: all that changes one counts it up. */
const touch = task => {
    task.version = (task.version ?? 0) + 1;
};

/** Calls back after changes, at most once a frame. Answers how to end that. */
export function watch(told) {
    watchers.add(told);
    return () => watchers.delete(told);
}

/** Begins to follow; once. */
export function begin() {
    feed = follow('/v1/events', {
        event: (type, data) => (held ? held.push([type, data]) : take(type, data)),
        opened: resumes => {
            state.connection = 'live';
            changed();
            if (!resumes || !state.listed) {
                list();
            }
        },
        lost: () => {
            state.connection = 'away';
            changed();
        },
    });
    restWhileHidden();
}

/** The task whose page is open, if it is one and known. */
export const lookedAt = () => (looking.length === 1 ? state.tasks.get(looking[0]) : undefined);

/** The tasks on the page that is open: what they print is seen. */
export function lookAt(ids) {
    looking = ids;
    for (const task of ids.map(id => state.tasks.get(id)).filter(known => known)) {
        task.seen = printed(task);
        touch(task);
    }
}

/** Takes what another call has answered, so that all views have it. */
export function learn(task) {
    const known = state.tasks.get(task.task_id);
    if (known && !active(known) && active(task)) {
        return known; // an older answer
    }
    const seen = looking.includes(task.task_id) ? printed(task) : known?.seen ?? seenBefore(task.task_id) ?? (state.listed && active(task) ? 0 : printed(task));
    const merged = Object.assign(known ?? {line: null, lineAt: -1, prompt: null}, {left_running: []}, task, {seen}); // absent where nothing is
    touch(merged);
    state.tasks.set(task.task_id, merged);
    changed();
    return merged;
}

/** Takes the last line of what a known task has printed, of so many bytes. */
export function learnLine(task, line, lineAt) {
    Object.assign(task, {line, lineAt});
    touch(task);
    changed(OUTPUT_MS);
}

export function learnApproval(approval) {
    const pending = approval.state === 'pending';
    // its command may be long: who shows it keeps it
    state.approvals.set(approval.approval_id, pending ? approval : {...approval, cmd: null});
    if (!pending) {
        forgetOldest(state.approvals, known => known.state !== 'pending');
    }
    changed();
}

async function list() {
    held = [];
    try {
        const before = [...state.tasks.values()].filter(active).map(task => task.task_id);
        const now = await allActive();
        before.filter(id => !now.has(id)).forEach(id => unknown.add(id));
        await listApprovals();
        state.listed = true;
    } catch {
        state.listed = false; // the feed is lost with it, and lists again when it is back
    }
    const missed = held;
    held = null;
    missed.forEach(([type, data]) => take(type, data));
    askForUnknown();
    changed();
}

async function allActive() {
    const ids = new Set();
    let cursor = null;
    do {
        const page = await get(query('/v1/tasks', {status: 'active', limit: PAGE, cursor}));
        page.tasks.forEach(task => ids.add(learn(task).task_id));
        cursor = page.next_cursor;
    } while (cursor);
    return ids;
}

async function listApprovals() {
    const {approvals} = await get('/v1/approvals');
    const waiting = new Set(approvals.map(approval => approval.approval_id));
    approvals.forEach(learnApproval);
    for (const known of state.approvals.values()) {
        if (known.state === 'pending' && !waiting.has(known.approval_id)) {
            askForApproval(known.approval_id);
        }
    }
}

function take(type, data) {
    if (type === 'resync') {
        list();
        return;
    }
    if (type === 'approval') {
        askForApproval(data.approval_id);
        return;
    }
    if (early.has(data.task_id)) {
        early.get(data.task_id).push([type, data]);
        return;
    }
    const task = state.tasks.get(data.task_id);
    if (!task) {
        if (type === 'status') {
            early.set(data.task_id, []);
            unknown.add(data.task_id);
            askForUnknown();
        }
        return;
    }
    (TAKERS[type] ?? (() => {}))(task, data);
    touch(task);
    changed(type === 'output' ? OUTPUT_MS : 0);
}

const TAKERS = {
    output(task, {stream, to}) {
        const field = `${stream}_bytes`;
        task.output[field] = Math.max(task.output[field], to);
        task.lastStream = stream;
        task.output.last_output_at = new Date().toISOString();
        if (looking.includes(task.task_id)) {
            task.seen = printed(task);
        }
    },
    status(task, data) {
        Object.assign(task, data);
        if (data.ended_by) {
            Object.assign(task, {ended_at: new Date().toISOString(), waiting: null, prompt: null, ports: [], process: null});
            forgetOldest(state.tasks, known => !active(known));
        }
    },
    waiting(task, {waiting, prompt = null}) {
        Object.assign(task, {waiting: waiting || null, prompt});
    },
    ports(task, {ports}) {
        task.ports = ports;
    },
};

let asking = null;

/** New ones by themselves, many by a listing. */
function askForUnknown() {
    asking ??= setTimeout(async () => {
        asking = null;
        const ids = unknown;
        unknown = new Set();
        const news = [...ids].filter(id => !state.tasks.has(id));
        if (news.length > FEW) {
            await allActive().catch(() => {});
        }
        for (const id of ids) {
            if (!news.includes(id) || news.length <= FEW) {
                await get(`/v1/tasks/${id}`).then(learn, () => state.tasks.delete(id));
            }
            const missed = early.get(id) ?? [];
            early.delete(id);
            missed.forEach(([type, data]) => take(type, data));
        }
        changed();
    }, 100);
}

function askForApproval(id) {
    get(`/v1/approvals/${id}`).then(learnApproval, () => {
        state.approvals.delete(id);
        changed();
    });
}

/** Of those that are over the newest are kept: ids grow. */
function forgetOldest(all, isOver) {
    const over = [...all].filter(([, one]) => isOver(one)).map(([id]) => id);
    over.sort().slice(0, -KEPT).forEach(id => all.delete(id));
}

let frame = null;
let later = null;

function changed(withinMs = 0) {
    if (withinMs > 0) {
        later ??= setTimeout(() => {
            later = null;
            changed();
        }, withinMs);
        return;
    }
    frame ??= requestAnimationFrame(() => {
        frame = null;
        watchers.forEach(told => told());
    });
}

function keepWhatWasSeen() {
    keepSeen(state.tasks.values(), state.listed);
}

function restWhileHidden() {
    let resting = null;
    let polling = null;

    function seenOrNot() {
        clearTimeout(resting);
        clearInterval(polling);
        if (document.hidden) {
            keepWhatWasSeen();
            resting = setTimeout(() => {
                feed.rest();
                polling = setInterval(() => listApprovals().then(() => watchers.forEach(told => told()), () => {}), APPROVALS_MS);
            }, REST_MS);
        } else {
            feed.wake();
            changed();
        }
    }

    document.addEventListener('visibilitychange', seenOrNot);
    document.addEventListener('resume', () => { // what it heard last may be hours old
        feed.rest();
        seenOrNot();
    });
    addEventListener('pagehide', keepWhatWasSeen);
    seenOrNot(); // one may be opened behind another
}
