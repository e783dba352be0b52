// The public REST, with the session's cookie.

/** A refusal of the server: its problem document, or what little is known. */
export class Refused extends Error {
    constructor(status, problem) {
        super(problem.detail ?? problem.title ?? `The server answered ${status}.`);
        this.status = status;
        this.problem = problem;
    }
}

/** Answers the parsed body, or null where there is none. Throws Refused, or a TypeError where no server answers. */
export async function call(method, path, body) {
    const response = await fetch(path, {
        method,
        headers: body === undefined ? {} : {'Content-Type': 'application/json'},
        body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    const answer = parsed(text);
    if (!response.ok) {
        throw new Refused(response.status, answer ?? {});
    }
    return answer;
}

export const get = path => call('GET', path);
export const post = (path, body = {}) => call('POST', path, body);

function parsed(text) {
    try {
        return text === '' ? null : JSON.parse(text);
    } catch {
        return null;
    }
}
