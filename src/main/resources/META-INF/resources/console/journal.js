// The journal, read from its end: the server tells it from its beginning, by numbers that grow.
import {get, query} from './api.js';

const PAGE = 100;
/** At a time. */
export const MOST = 1000;

const read = (cursor, task, limit = PAGE) => get(query('/v1/audit', {cursor, task_id: task, limit})).then(page => page.entries);

/** The number of its last entry, 0 for none: doubled until nothing follows, then by halves. */
async function lastNumber() {
    const follows = async number => (await read(number, null, 1)).length > 0;
    let [low, high] = [0, 1024];
    while (await follows(high)) {
        [low, high] = [high, high * 2];
    }
    while (high - low > PAGE) {
        const middle = Math.floor((low + high) / 2);
        [low, high] = (await follows(middle)) ? [middle, high] : [low, middle];
    }
    return (await read(low, null)).at(-1)?.seq ?? 0;
}

/** The newest entries, the oldest first. Of a task all, as far as they are a thousand. */
export async function newest(task) {
    return task ? read(0, task, MOST) : read(Math.max(0, (await lastNumber()) - PAGE), null);
}

/** Those before a number. */
export async function before(number) {
    return (await read(Math.max(0, number - 1 - PAGE), null)).filter(({seq}) => seq < number);
}

/** Those after a number. */
export const after = (number, task) => read(number, task, MOST);
