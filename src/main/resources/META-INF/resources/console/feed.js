// Server-sent events over fetch: unlike EventSource it goes on from an id after a rest, and sees why it is refused.
import {ask, refused} from './api.js';

const RETRY_MS = 1000;
/** The server's heartbeat comes every 15 s. */
const SILENT_MS = 40_000;

/**
 * Follows a feed and comes back by itself, going on after the last event.
 *
 * @param tell {event(type, data), opened(resumes), lost()}: `opened` each time the server has begun to tell, and
 *     whether it goes on from where it was
 * @returns {rest(), wake()}: lets go of the server, and takes it up again
 */
export function follow(path, tell) {
    let lastId = null;
    let wanted = true;
    let connection = null;

    async function run() {
        const mine = new AbortController();
        connection = mine;
        while (wanted && connection === mine) {
            try {
                await read(mine);
            } catch (failure) {
                if (failure.status === 401 || failure.status === 403) {
                    wanted = false;
                }
            }
            if (wanted && connection === mine) {
                tell.lost();
                await new Promise(done => setTimeout(done, RETRY_MS));
            }
        }
    }

    async function read(mine) {
        const resumes = lastId !== null;
        const response = await ask(path, {
            headers: {Accept: 'text/event-stream', ...(resumes ? {'Last-Event-ID': lastId} : {})},
            signal: mine.signal,
            cache: 'no-store',
        });
        if (!response.ok) {
            throw refused(response.status);
        }
        tell.opened(resumes);
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = '';
        while (true) {
            const {value, done} = await inTime(reader);
            if (done || connection !== mine) {
                return;
            }
            const blocks = (rest + value).split('\n\n');
            rest = blocks.pop();
            blocks.forEach(take);
        }
    }

    function take(block) {
        let type = 'message';
        let data = '';
        for (const line of block.split('\n')) {
            const [, field, value] = /^([a-z]*): ?(.*)$/.exec(line) ?? [];
            if (field === 'id') {
                lastId = value;
            } else if (field === 'event') {
                type = value;
            } else if (field === 'data') {
                data += value;
            }
        }
        if (data !== '' || type === 'resync') {
            tell.event(type, data === '' ? {} : JSON.parse(data));
        }
    }

    function rest() {
        wanted = false;
        connection?.abort();
        connection = null;
    }

    function wake() {
        if (!wanted) {
            wanted = true;
            run();
        }
    }

    run();
    return {rest, wake};
}

/** Cut off is also who hears nothing, not even a heartbeat: a laptop that slept, a network that is gone. */
async function inTime(reader) {
    let timer;
    const silence = new Promise((_, fail) => {
        timer = setTimeout(() => fail(new Error('silent')), SILENT_MS);
    });
    try {
        return await Promise.race([reader.read(), silence]);
    } catch (failure) {
        reader.cancel().catch(() => {});
        throw failure;
    } finally {
        clearTimeout(timer);
    }
}
