// All tasks, live. What is under the pointer or has the focus stays where it is: what is new waits until one is ready.
import {html, render, repeat, nothing} from '../lib.js';
import {get, query} from '../api.js';
import {active, learn, state, watch} from '../state.js';
import {bind} from '../keys.js';
import {fail} from '../messages.js';
import {stop} from '../task/actions.js';
import {mayChange} from '../who.js';
import {keepLastLines} from '../lastlines.js';
import {plain} from '../words.js';
import {address, matching, narrowed, readFilter, STATUSES} from './filter.js';
import {row} from './row.js';
import {Shown} from './shown.js';

const PAGE = 50;
const AGES_MS = 10_000;
const TYPING_MS = 200;

/** Where j and k go on, also after a look at a task's page. */
let last = null;

export function open(root) {
    const list = new List(root);
    return () => list.close();
}

class List {
    constructor(root) {
        this.root = root;
        this.pointed = false;
        this.actions = {stop, label: text => this.narrow({labels: [...new Set([...this.filter.labels, text])]})};
        this.begin(readFilter());
        const ages = setInterval(() => this.draw(), AGES_MS);
        this.ends = [
            watch(() => this.draw()),
            bind(this.keys()),
            keepLastLines(() => this.inView()),
            () => clearInterval(ages),
        ];
    }

    close() {
        clearTimeout(this.typing);
        this.ends.forEach(end => end());
    }

    narrow(change) {
        const filter = {...this.filter, ...change};
        history.replaceState(null, '', address(filter));
        this.begin(filter);
    }

    begin(filter) {
        this.filter = filter;
        this.shown = new Shown(matching(filter));
        this.older = {cursor: null, more: false, reading: false};
        if (filter.status !== 'active') {
            this.readOlder();
        }
        this.draw();
    }

    async readOlder() {
        const older = this.older;
        const {text, labels} = this.filter;
        older.reading = true;
        try {
            const page = await get(query('/v1/tasks', {status: 'ended', q: text, label: labels, limit: PAGE, cursor: older.cursor}));
            page.tasks.forEach(learn);
            Object.assign(older, {cursor: page.next_cursor, more: page.next_cursor !== null});
        } catch (failure) {
            fail(failure);
        }
        older.reading = false;
        this.draw();
    }

    keys() {
        return [
            {key: '/', does: 'search', run: () => this.root.querySelector('[type=search]').focus()},
            {key: 'j', does: 'next task', run: () => this.move(1)},
            {key: 'k', does: 'task before', run: () => this.move(-1)},
            {key: 'Enter', does: 'open it'},
            ...(mayChange() ? [{key: 's', does: 'stop it, after a question', run: () => this.stopFocused()}] : []),
            {key: 'r', does: 'show what is new, put away what has ended', run: () => this.tidy()},
        ];
    }

    // Selection is the browser's own focus, on the link of a row.

    focusedRow() {
        return document.activeElement?.closest?.('.row') ?? null;
    }

    move(step) {
        const rows = [...this.root.querySelectorAll('.row')];
        const from = rows.indexOf(this.focusedRow() ?? rows.find(element => element.dataset.id === last));
        const to = from < 0 ? rows.indexOf(this.rowsInView()[0]) : Math.min(rows.length - 1, Math.max(0, from + step));
        rows[to]?.querySelector('.command').focus({preventScroll: true});
        rows[to]?.scrollIntoView({block: 'nearest'});
    }

    remember() {
        last = this.focusedRow()?.dataset.id ?? last;
    }

    stopFocused() {
        const task = state.tasks.get(this.focusedRow()?.dataset.id);
        if (task && active(task)) {
            stop(task);
        }
    }

    tidy() {
        this.shown.tidy();
        this.draw();
    }

    rowsInView() {
        const rows = this.root.querySelector('.rows')?.children ?? [];
        let [low, high] = [0, rows.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            [low, high] = rows[middle].getBoundingClientRect().bottom < 0 ? [middle + 1, high] : [low, middle];
        }
        const seen = [];
        for (let i = low; i < rows.length && rows[i].getBoundingClientRect().top < innerHeight; i++) {
            seen.push(rows[i]);
        }
        return seen;
    }

    inView() {
        return this.rowsInView().map(element => state.tasks.get(element.dataset.id)).filter(task => task);
    }

    pointing(inside) {
        this.pointed = inside;
        if (!inside) {
            this.draw();
        }
    }

    draw() {
        const tasks = this.shown.update(this.pointed || this.focusedRow() !== null);
        const now = Date.now();
        render(html`
            <div class="toolbar">
                <h1>Tasks</h1>
                <div class="switch" role="group" aria-label="Which tasks">${STATUSES.map(status => this.choice(status))}</div>
                <input type="search" aria-label="Search in commands" placeholder="Search  /" .value=${this.filter.text}
                    @input=${this.searched} @keydown=${this.leaveSearch}>
                ${this.filter.labels.map(label => this.chosenLabel(label))}
                ${this.news()}
            </div>
            ${tasks.length ? html`
                <ul class="rows" role="list" @pointerenter=${() => this.pointing(true)} @pointerleave=${() => this.pointing(false)}
                    @focusin=${() => this.remember()} @focusout=${() => setTimeout(() => this.draw())}>
                    ${repeat(tasks, task => task.task_id, task => row(task, now, this.actions))}
                </ul>` : this.empty()}
            ${this.older.more ? html`
                <p class="more"><button ?disabled=${this.older.reading} @click=${() => this.readOlder()}>Show older ones</button></p>` : nothing}`,
        this.root);
    }

    choice([status, name]) {
        const count = status === 'active' ? html` <small>${[...state.tasks.values()].filter(active).length}</small>` : nothing;
        return html`<button aria-pressed=${this.filter.status === status} @click=${() => this.narrow({status})}>${name}${count}</button>`;
    }

    chosenLabel(label) {
        return html`<button class="label chosen" aria-label="No longer only ${plain(label)}"
            @click=${() => this.narrow({labels: this.filter.labels.filter(one => one !== label)})}>${plain(label)} ✕</button>`;
    }

    news() {
        const {waiting, past} = this.shown;
        const words = [waiting ? `${waiting} new` : '', past ? `${past} ended` : ''].filter(word => word).join(', ');
        return html`<button class="news" ?hidden=${words === ''} title="Show what is new, put away what has ended (r)"
            @click=${() => this.tidy()}>${words}</button>`;
    }

    empty() {
        if (!state.listed || this.older.reading) {
            return html`<p class="empty">Looking…</p>`;
        }
        if (narrowed(this.filter)) {
            return html`<div class="empty"><p>No task matches.</p>
                <button @click=${() => this.narrow({text: '', labels: []})}>Show all of them</button></div>`;
        }
        return this.filter.status === 'ended' ? html`<p class="empty">Nothing has ended yet.</p>` : html`
            <div class="empty">
                <p>Nothing runs. Start something in a terminal:</p>
                <pre>holdfast run -d -- npm run dev</pre>
                <p>It is here as soon as it runs. What has run before is under <a href="/?status=ended">Ended</a>.</p>
            </div>`;
    }

    searched = event => {
        const text = event.target.value;
        clearTimeout(this.typing);
        this.typing = setTimeout(() => this.narrow({text}), TYPING_MS);
    };

    leaveSearch = event => {
        if (event.key === 'Enter' || event.key === 'Escape') {
            event.preventDefault();
            clearTimeout(this.typing);
            this.narrow({text: event.target.value});
            event.target.blur();
            last = null;
            this.move(0);
        }
    };
}
