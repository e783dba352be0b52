// What has happened to a task, and when.
import {html, nothing} from '../lib.js';
import {query} from '../api.js';
import {after} from '../journal.js';
import {active} from '../state.js';
import {mayAudit} from '../who.js';
import {clock, long, outcome, plain, shortClock} from '../words.js';

/** Of what the page has seen, and of what the journal knows. */
const MOST = 200;
const FRESH_MS = 5000;

/** Keeps what the page itself has seen, and what the journal knows. */
export class Timeline {
    constructor(id) {
        this.id = id;
        this.seen = [];
        this.journal = [];
        this.last = 0;
        this.earlier = false;
        this.askedAt = 0;
        this.waiting = undefined;
    }

    /** When a task waits for input is not on record: what this page sees of it, and no more. */
    observe(task) {
        const [waits, waited] = [task.waiting === 'input', this.waiting === 'input'];
        const at = new Date().toISOString(); // `observed_at` may be older than what the feed has told
        if (waits && this.waiting === undefined) {
            this.seen.push({at: task.observed_at ?? at, text: 'seen waiting for input; since when is not on record', more: task.prompt});
        } else if (waits && !waited) {
            this.seen.push({at, text: 'waits for input', more: task.prompt});
        } else if (waited && !waits && active(task)) {
            this.seen.push({at, text: 'waits no longer'});
        }
        this.waiting = task.waiting;
        this.seen = this.seen.slice(-MOST);
    }

    /** Asks the journal for what is new in it, not more often than every few seconds; the newest are kept. */
    async look() {
        if (mayAudit() && Date.now() - this.askedAt > FRESH_MS) {
            this.askedAt = Infinity;
            const entries = await after(this.last, this.id).catch(() => []);
            this.askedAt = Date.now();
            this.last = entries.at(-1)?.seq ?? this.last;
            const all = [...this.journal, ...entries.filter(entry => entry.action in DONE).map(entry => ({
                at: entry.at, text: DONE[entry.action](entry), more: `by ${entry.actor}`,
            }))];
            this.earlier ||= all.length > MOST;
            this.journal = all.slice(-MOST);
        }
    }

    draw(task) {
        const begin = Date.parse(task.created_at);
        const all = [...fixed(task), ...this.journal, ...this.seen].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
        return html`
            <section aria-label="Timeline"><h2>Timeline</h2>
            ${this.earlier ? html`<p class="soft">What was done before the last ${MOST} of it is in the <a href=${query('/audit', {task: this.id})}>audit</a>.</p>` : nothing}
            <ol class="timeline">${all.map(({at, text, more}) => html`
                <li><time datetime=${at} title=${clock(at)}>${Date.parse(at) === begin ? shortClock(at) : `+ ${long(Date.parse(at) - begin)}`}</time>
                    <span>${text}</span>${more ? html` <span class="soft">${plain(more)}</span>` : nothing}</li>`)}
            </ol></section>`;
    }
}

const DONE = {
    stop: () => 'stop asked for',
    signal: entry => `signal ${entry.detail ?? ''}`,
    input: entry => (entry.bytes === null ? 'types into its terminal' : `input of ${entry.bytes} bytes`),
};

function fixed(task) {
    return [
        {at: task.created_at, text: 'queued'},
        {at: task.started_at, text: 'started'},
        {at: task.promoted_at, text: 'became a task'},
        {at: task.ended_at, text: `ended: ${outcome(task)}`, more: task.ended_by === 'signal' ? 'by a signal' : ''},
    ].filter(({at}) => at);
}
