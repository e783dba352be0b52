// The public REST, with both halves of the session: its cookie, and what this page keeps.

/** What to do now, where the server names a call of REST. */
const HINTS = {
    task_not_running: 'Run again starts its command once more; its output stays readable.',
    approval_decided: 'Its card says who answered.',
    approval_not_found: 'Answered ones are forgotten after a while.',
    capacity_exhausted: 'Stop a task, or wait for one to end, then try again.',
};

/** A refusal of the server: its problem document, or what little is known. */
export class Refused extends Error {
    constructor(status, problem) {
        super(problem.detail ?? problem.title ?? `The server answered ${status}.`);
        this.status = status;
        this.problem = problem;
    }

    /** What to do now, or nothing. */
    get hint() {
        const hint = HINTS[this.problem.kind] ?? this.problem.recovery_hint ?? '';
        return hint.replace('DELETE /v1/tasks/{id}', '`holdfast rm`');
    }
}

/** An EventTarget that tells `unauthorized` when an answer says that there is no session (any more). */
export const session = new EventTarget();

/**
 * The half of the session that is kept here, where no other port of this machine reads it, as they all do the cookie.
 * Shared by all pages of the server.
 */
const KEPT = 'holdfast.page';
const kept = () => localStorage.getItem(KEPT);

/** @param secret of whom the server has let in; null forgets the one before */
export function keep(secret) {
    if (secret === null) {
        localStorage.removeItem(KEPT);
    } else {
        localStorage.setItem(KEPT, secret);
    }
}

/** As fetch, by session. */
export function ask(path, options = {}) {
    const half = kept() === null ? {} : {'Holdfast-Page-Secret': kept()};
    return fetch(path, {...options, headers: {...options.headers, ...half}});
}

/** A WebSocket by session, for which a page can set no header. */
export const dial = path => new WebSocket(location.origin.replace(/^http/, 'ws') + path, kept() === null ? [] : [`page.${kept()}`]);

/** Answers the parsed body, or null where there is none. Throws Refused, or a TypeError where no server answers. */
export async function call(method, path, body) {
    const response = await ask(path, {
        method,
        headers: body === undefined ? {} : {'Content-Type': 'application/json'},
        body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    const answer = parsed(text);
    if (!response.ok) {
        throw refused(response.status, answer ?? {});
    }
    return answer;
}

export const get = path => call('GET', path);
export const post = (path, body = {}) => call('POST', path, body);

/** The refusal of such an answer, told to whoever looks after the session. */
export function refused(status, problem = {}) {
    if (status === 401) {
        session.dispatchEvent(new Event('unauthorized'));
    }
    return new Refused(status, problem);
}

/** A path with a query; what is null, undefined or empty is left out, a list is repeated. */
export function query(path, parameters) {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
        for (const one of [value].flat()) {
            if (one !== null && one !== undefined && one !== '') {
                search.append(name, one);
            }
        }
    }
    const text = search.toString();
    return text === '' ? path : `${path}?${text}`;
}

function parsed(text) {
    try {
        return text === '' ? null : JSON.parse(text);
    } catch {
        return null;
    }
}
