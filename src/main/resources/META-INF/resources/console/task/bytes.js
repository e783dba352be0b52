// Parts of a task's output, in bytes of one stream.
import {ask, Refused} from '../api.js';

const NEWLINE = 10;

const address = (id, stream, rest = '') => `/v1/tasks/${id}/output?stream=${stream}${rest}`;

async function answer(path, headers) {
    const response = await ask(path, {headers: {Accept: 'application/octet-stream', ...headers}, cache: 'no-store'});
    if (!response.ok) {
        throw new Refused(response.status, await response.json().catch(() => ({})));
    }
    return response;
}

/**
 * Answers {bytes, from, next}: at most `most` bytes from `from` on. It begins later than was asked where what lies
 * between is no longer kept.
 */
export async function read(id, stream, from, most) {
    const response = await answer(address(id, stream, `&cursor=${from}&max_bytes=${most}`));
    const next = Number(response.headers.get('Holdfast-Next-Cursor'));
    const bytes = new Uint8Array(await response.arrayBuffer());
    return {bytes, from: next - bytes.length, next};
}

/** Answers where the bytes end that are kept from the start on, of those before `to`. */
async function keptFromStart(id, stream, to) {
    let response;
    try {
        response = await answer(address(id, stream), {Range: `bytes=0-${to - 1}`});
    } catch (refusal) {
        if (refusal.problem?.kind === 'cursor_expired') {
            return 0; // not even the first
        }
        throw refusal;
    }
    const [, last] = /^bytes 0-(\d+)\//.exec(response.headers.get('Content-Range') ?? '') ?? [];
    await response.body.cancel();
    return last === undefined ? to : Number(last) + 1;
}

/**
 * The whole lines that end at `to`, of at most `most` bytes: {bytes, from, gap}. `gap` {from, to} is what is not kept
 * before them, null where there is no gap. A line that is longer is taken from its middle on.
 */
export async function readBefore(id, stream, to, most) {
    if (to === 0) {
        return {bytes: new Uint8Array(0), from: 0, gap: null};
    }
    const asked = Math.max(0, to - most);
    const page = await read(id, stream, asked, to - asked);
    if (page.from >= to) {
        return readAcross(id, stream, to);
    }
    const bytes = page.bytes.subarray(0, to - page.from);
    const behindGap = page.from > asked;
    const skip = page.from === 0 || behindGap ? 0 : afterNewline(bytes);
    const gap = behindGap ? {from: await keptFromStart(id, stream, to), to: page.from} : null;
    return {bytes: bytes.subarray(skip), from: page.from + skip, gap};
}

/** A gap ends at `to`. */
async function readAcross(id, stream, to) {
    const gap = {from: await keptFromStart(id, stream, to), to};
    return {bytes: new Uint8Array(0), from: gap.from, gap};
}

/** Where the first whole line begins; where there is none, the first whole character. */
function afterNewline(bytes) {
    const newline = bytes.indexOf(NEWLINE);
    if (newline >= 0 && newline < bytes.length - 1) {
        return newline + 1;
    }
    let at = 0;
    while (at < 4 && at < bytes.length && (bytes[at] & 0xC0) === 0x80) {
        at++;
    }
    return at;
}

/** How many of the bytes are whole lines. */
export const wholeLines = bytes => bytes.lastIndexOf(NEWLINE) + 1;
