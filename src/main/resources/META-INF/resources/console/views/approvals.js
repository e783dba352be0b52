// What people are asked. An answered one keeps its place, so that no key meets what has not been read.
import {html, render, repeat, nothing} from '../lib.js';
import {get, post} from '../api.js';
import {KEPT, learnApproval, state, watch} from '../state.js';
import {bind} from '../keys.js';
import {fail} from '../messages.js';
import {mayDecide} from '../who.js';
import {ago, clock, countdown, plain} from '../words.js';
import {classes, decided} from '../decided.js';

const TICK_MS = 1000;
/** Answered ones that are shown at first. */
const FEW = 20;
/** From so many on it is said how long a command is, before one reads it. */
const MANY_LINES = 10;
const MANY_CHARS = 1000;

export function open(root) {
    const view = new Approvals(root);
    return () => view.close();
}

/** What was read once, or what came of it since: what is allowed may be a task only later. */
const latest = read => (read.task_id || read.start_error ? read : state.approvals.get(read.approval_id) ?? read);

class Approvals {
    constructor(root) {
        this.root = root;
        /** The whole commands of those that have a card, by their ids: they stay to be read when they are answered. */
        this.commands = new Map();
        this.denying = null;
        this.answering = new Set();
        /** Those that were answered before the page was opened, the newest first; null until they are asked for. */
        this.past = null;
        this.shown = FEW;
        const ticks = setInterval(() => this.draw(), TICK_MS);
        this.ends = [watch(() => this.draw()), bind(this.keys()), () => clearInterval(ticks)];
        this.draw();
    }

    close() {
        this.ends.forEach(end => end());
    }

    /** Only when the events come: what becomes of these later is told by them. */
    async readPast() {
        this.past = [];
        const {approvals} = await get('/v1/approvals?state=all').catch(() => ({approvals: []})); // the frame says that the server is away
        this.past = approvals.filter(approval => approval.state !== 'pending');
        this.draw();
    }

    keys() {
        const moves = [
            {key: 'j', does: 'next one', run: () => this.move(1)},
            {key: 'k', does: 'one before', run: () => this.move(-1)},
        ];
        return mayDecide() ? [...moves,
            {key: 'a', does: 'allow this once', run: event => this.pressed(event, 'once')},
            {key: 's', does: 'allow its pattern until the server ends', run: event => this.pressed(event, 'session')},
            {key: 'A', does: 'allow its pattern always', run: event => this.pressed(event, 'always')},
            {key: 'd', does: 'deny it, with a reason', run: event => this.pressed(event, null)},
        ] : moves;
    }

    /** Acts on what has the focus, and on nothing else: a key that is held down answers one. */
    pressed(event, remember) {
        const card = document.activeElement?.closest('.ask');
        const approval = state.approvals.get(card?.dataset.id);
        if (event.repeat) {
            return;
        }
        if (!approval) {
            this.move(0);
        } else if (approval.state === 'pending' && remember === null) {
            this.deny(approval);
        } else if (card.getBoundingClientRect().bottom > innerHeight + 1) {
            scrollBy(0, innerHeight / 2); // a key allows nothing whose end is not seen
        } else if (approval.state === 'pending' && (remember === 'once' || approval.suggested_rule)) {
            this.answer(approval, {decision: 'allow', remember});
        }
    }

    move(step) {
        const cards = [...this.root.querySelectorAll('.ask')];
        const from = cards.indexOf(document.activeElement?.closest('.ask'));
        cards[from < 0 ? 0 : Math.min(cards.length - 1, Math.max(0, from + step))]?.focus();
    }

    deny(approval) {
        this.denying = approval.approval_id;
        this.draw();
        this.card(approval).querySelector('input').focus();
    }

    async answer(approval, body) {
        const id = approval.approval_id;
        if (this.answering.has(id)) {
            return;
        }
        this.answering.add(id);
        this.denying = null;
        this.card(approval).focus();
        this.draw();
        try {
            learnApproval(await post(`/v1/approvals/${id}`, body));
        } catch (failure) {
            fail(failure);
        }
        this.answering.delete(id);
        this.draw();
    }

    card = approval => this.root.querySelector(`[data-id="${approval.approval_id}"]`);

    /** Those that wait when the page is opened, and at the end those that come: nothing moves. */
    known() {
        const news = [...state.approvals.values()]
            .filter(({state: became, approval_id: id}) => became === 'pending' && !this.commands.has(id))
            .sort((a, b) => (a.approval_id < b.approval_id ? -1 : 1));
        news.forEach(approval => this.commands.set(approval.approval_id, approval.cmd));
        const ids = [...this.commands.keys()];
        ids.slice(0, -KEPT).filter(id => !state.approvals.has(id)).forEach(id => this.commands.delete(id));
        return ids.map(id => state.approvals.get(id)).filter(approval => approval);
    }

    draw() {
        if (state.listed && !this.past) {
            this.readPast();
        }
        const approvals = this.known();
        const waiting = approvals.filter(approval => approval.state === 'pending').length;
        render(html`
            <div class="toolbar">
                <h1>Approvals</h1>
                <p class="soft">${waiting === 0 ? nothing : waiting === 1 ? 'One waits for an answer' : `${waiting} wait for an answer`}</p>
            </div>
            ${approvals.length ? html`<ul class="asks" role="list">
                ${repeat(approvals, approval => approval.approval_id, approval => this.ask(approval))}</ul>` : this.empty()}
            ${this.history()}`, this.root);
    }

    history() {
        const past = (this.past ?? []).filter(approval => !this.commands.has(approval.approval_id)).map(latest);
        return past.length === 0 ? nothing : html`
            <section class="past" aria-labelledby="answered"><h2 id="answered">Answered before</h2>
                <ul role="list">${repeat(past.slice(0, this.shown), approval => approval.approval_id, approval => html`
                    <li>
                        <code>${plain(approval.cmd_preview)}</code>
                        ${this.outcome(approval, nothing)}
                        <small>asked by ${plain(approval.requested_by)}, ${ago(approval.requested_at)}</small>
                    </li>`)}</ul>
                ${past.length > this.shown ? html`<p class="more"><button @click=${() => this.more()}>Show older ones</button></p>` : nothing}
            </section>`;
    }

    more() {
        this.shown += 5 * FEW;
        this.draw();
    }

    empty() {
        return state.listed ? html`<div class="empty"><p>Nobody waits for an answer.</p>
            <p>What the policy says <code>ask</code> of comes here. <a href="/policy">Try a command on the policy</a></p></div>`
            : html`<p class="empty">Looking…</p>`;
    }

    ask(approval) {
        const pending = approval.state === 'pending';
        const command = this.commands.get(approval.approval_id) ?? approval.cmd_preview;
        const lines = command.split('\n').length;
        return html`
            <li class="ask ${approval.state}" data-id=${approval.approval_id} tabindex="0" aria-label="${plain(approval.cmd_preview)}">
                ${lines > MANY_LINES || command.length > MANY_CHARS ? html`<p class="soft">${lines} ${lines === 1 ? 'line' : 'lines'}, ${command.length} characters:</p>` : nothing}
                ${decided(command, approval.deciding)}
                ${approval.reason ? html`<p class="reason">${plain(approval.reason)}</p>` : nothing}
                <dl class="facts">
                    <div><dt>Asked by</dt><dd>${plain(approval.requested_by)}, <time datetime=${approval.requested_at}
                        title=${clock(approval.requested_at)}>${ago(approval.requested_at)}</time></dd></div>
                    <div><dt>In</dt><dd><code>${plain(approval.workdir)}</code></dd></div>
                    <div><dt>Rule</dt><dd>${approval.rule ?? 'the default'} ${classes(approval.classes)}</dd></div>
                    ${pending ? html`<div><dt>Expires in</dt><dd><time datetime=${approval.expires_at} title=${clock(approval.expires_at)}>${
                        countdown(Date.parse(approval.expires_at) - Date.now())}</time></dd></div>` : nothing}
                </dl>
                ${pending ? nothing : this.outcome(approval)}
                ${pending || this.denying === approval.approval_id ? this.answers(approval) : nothing}
            </li>`;
    }

    answers(approval) {
        if (!mayDecide()) {
            return html`<p class="soft">An operator answers it.</p>`;
        }
        if (this.denying === approval.approval_id) {
            return this.denial(approval);
        }
        const busy = this.answering.has(approval.approval_id);
        const button = (name, key, body, strong = '') => html`
            <button class=${strong} ?disabled=${busy} @click=${() => this.answer(approval, body)}>${name} <kbd>${key}</kbd></button>`;
        return html`
            <div class="actions">
                ${approval.suggested_rule ? html`<p class="soft">For longer: <code>${plain(approval.suggested_rule)}</code></p>` : nothing}
                <button ?disabled=${busy} @click=${() => this.deny(approval)}>Deny <kbd>d</kbd></button>
                ${approval.suggested_rule ? html`
                    ${button('Always', 'A', {decision: 'allow', remember: 'always'})}
                    ${button('This session', 's', {decision: 'allow', remember: 'session'})}` : nothing}
                ${button('Allow once', 'a', {decision: 'allow', remember: 'once'}, 'strong')}
            </div>`;
    }

    denial(approval) {
        const cancel = () => {
            this.denying = null;
            this.card(approval).focus();
            this.draw();
        };
        const send = event => {
            event.preventDefault();
            const reason = new FormData(event.target).get('reason').trim();
            this.answer(approval, {decision: 'deny', ...(reason ? {reason} : {})});
        };
        return html`
            <form class="actions" @submit=${send} @keydown=${event => event.key === 'Escape' && cancel()}>
                <input name="reason" aria-label="Why it is denied" placeholder="Why, for who asked (may be left out)" autocomplete="off">
                <button type="button" @click=${cancel}>Cancel</button>
                <button class="strong">Deny</button>
            </form>`;
    }

    outcome({state: became, decided_by: by, decided_at: at, decision_reason: why, task_id: task, start_error: error}, role = 'status') {
        return html`<p class="became" role=${role}>
            ${became === 'expired' ? 'Nobody waits for it any more.' : html`<strong>${became === 'allowed' ? 'Allowed' : 'Denied'}</strong> by <span title=${clock(at)}>${plain(by)}</span>.`}
            ${why ? plain(why) : nothing}
            ${error ? html`It could not be started: ${plain(error)}` : nothing}
            ${task ? html`<a href="/tasks/${task}">Its task</a>` : nothing}</p>`;
    }
}
