// What of all tasks is asked for. It is in the address, so that it can be kept and gone back to.
import {query} from '../api.js';
import {active} from '../state.js';

export const STATUSES = [['active', 'Running'], ['ended', 'Ended'], ['all', 'All']];

export function readFilter() {
    const search = new URLSearchParams(location.search);
    const status = search.get('status');
    return {
        status: STATUSES.some(([name]) => name === status) ? status : 'active',
        text: search.get('q') ?? '',
        labels: search.getAll('label'),
    };
}

export const address = ({status, text, labels}) =>
    query('/', {status: status === 'active' ? null : status, q: text, label: labels});

export const narrowed = ({text, labels}) => text !== '' || labels.length > 0;

/** Answers a function that tells whether a task is asked for. */
export function matching({status, text, labels}) {
    const sought = text.toLowerCase();
    return task =>
        (status === 'all' || (status === 'active') === active(task))
        && labels.every(label => Object.entries(task.labels).some(([key, value]) => `${key}=${value}` === label))
        && (sought === '' || texts(task).some(where => where.toLowerCase().includes(sought)));
}

const texts = ({summary, task_id: id, command: {cmd, argv}}) => [summary, id, cmd ?? argv?.join(' ') ?? ''];
