// Times, sizes and states as people say them, and text of others made safe to look at.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "3 min ago", of a time as the server writes it. */
export function ago(time, now = Date.now()) {
    const ms = now - Date.parse(time);
    if (ms < 10 * SECOND) {
        return 'just now';
    }
    return `${ms < MINUTE ? `${Math.floor(ms / 10_000) * 10} s` : long(ms)} ago`;
}

/** "2 min", of so many milliseconds; below a minute to the second. */
export function long(ms) {
    if (ms < SECOND) {
        return `${Math.max(0, Math.round(ms))} ms`;
    }
    if (ms < MINUTE) {
        return `${Math.floor(ms / SECOND)} s`;
    }
    if (ms < HOUR) {
        return `${Math.floor(ms / MINUTE)} min`;
    }
    if (ms < DAY) {
        const minutes = Math.floor((ms % HOUR) / MINUTE);
        return `${Math.floor(ms / HOUR)} h${minutes ? ` ${minutes} min` : ''}`;
    }
    const days = Math.floor(ms / DAY);
    return days === 1 ? '1 day' : `${days} days`;
}

/** "1 h 02 min 05 s", to the second, for what counts down. */
export function countdown(ms) {
    if (ms <= 0) {
        return 'now';
    }
    const two = number => String(number).padStart(2, '0');
    const [h, m, s] = [Math.floor(ms / HOUR), Math.floor((ms % HOUR) / MINUTE), Math.floor((ms % MINUTE) / SECOND)];
    return h > 0 ? `${h} h ${two(m)} min ${two(s)} s` : m > 0 ? `${m} min ${two(s)} s` : `${s} s`;
}

/** "12 kB". */
export function size(bytes) {
    const units = ['B', 'kB', 'MB', 'GB', 'TB'];
    let unit = 0;
    let value = bytes;
    while (value >= 1000 && unit < units.length - 1) {
        value /= 1000;
        unit++;
    }
    return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** A time of the wall clock here, to the second. */
export const clock = time => new Date(time).toLocaleString([], {dateStyle: 'medium', timeStyle: 'medium'});

/** The same, of today without the day. */
export function shortClock(time, now = new Date()) {
    const then = new Date(time);
    return then.toDateString() === now.toDateString() ? then.toLocaleTimeString([], {timeStyle: 'medium'}) : clock(time);
}

const LIMITS = {timeout: 'ran out of time', idle_timeout: 'silent for too long', output_limit: 'printed too much'};

/** What has become of a task, in a few words: a non-zero exit is a result, said as one. */
export function outcome(task) {
    if (task.ended_by in LIMITS) {
        return LIMITS[task.ended_by];
    }
    if (task.status === 'cancelled') {
        return 'stopped';
    }
    if (task.status === 'cancelling') {
        return 'stopping';
    }
    if (task.status === 'interrupted') {
        return task.ended_by === 'reboot' ? 'lost in a reboot' : 'end unknown';
    }
    if (task.exit_signal) {
        return task.exit_signal;
    }
    return Number.isInteger(task.exit_status) ? `exit ${task.exit_status}` : task.status;
}

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** With what would not be seen, or would turn the rest around, written out: nobody allows what he reads backwards. */
export function plain(text) {
    return (text ?? '').replace(HIDDEN, c => `⟨${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}
