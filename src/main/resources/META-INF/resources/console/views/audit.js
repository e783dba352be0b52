// The journal: who did what, the newest first.
import {html, render, repeat, nothing} from '../lib.js';
import {query} from '../api.js';
import {fail} from '../messages.js';
import {bind} from '../keys.js';
import {clock, plain, shortClock, size} from '../words.js';
import {after, before, MOST, newest} from '../journal.js';

const PACE_MS = 2000;

export async function open(root) {
    const view = new Audit(root, new URLSearchParams(location.search).get('task'));
    await view.begin();
    return () => view.close();
}

class Audit {
    constructor(root, task) {
        Object.assign(this, {root, task, entries: [], more: false, follows: true, reading: false});
        this.unbind = bind([{key: 'f', does: 'follow, or hold', run: () => this.follow(!this.follows)}]);
    }

    async begin() {
        try {
            this.entries = await newest(this.task);
        } catch (failure) {
            this.close();
            throw failure;
        }
        /** Whether there are older ones. */
        this.more = !this.task && (this.entries[0]?.seq ?? 1) > 1;
        this.timer = setInterval(() => this.readNew(), PACE_MS);
        this.draw();
    }

    close() {
        clearInterval(this.timer);
        this.unbind();
    }

    follow(follows) {
        this.follows = follows;
        this.draw();
        this.readNew();
    }

    async readNew() {
        if (!this.follows || this.reading || document.hidden) {
            return;
        }
        this.reading = true;
        // Who is away from the top reads: what is new then comes when he is back.
        const news = scrollY > 0 ? [] : await after(this.entries.at(-1)?.seq ?? 0, this.task).catch(() => []);
        this.reading = false;
        if (news.length) {
            const all = [...this.entries, ...news];
            this.entries = all.slice(-MOST);
            this.more ||= all.length > MOST;
            this.draw();
        }
    }

    async readBack() {
        try {
            const older = await before(this.entries[0].seq);
            this.entries = [...older, ...this.entries];
            this.more = older.length > 0 && older[0].seq > 1;
        } catch (failure) {
            fail(failure);
        }
        this.draw();
    }

    draw() {
        const entries = [...this.entries].reverse();
        render(html`
            <div class="toolbar">
                <h1>Audit</h1>
                ${this.task ? html`<a class="label chosen" href="/audit" aria-label="No longer only of ${this.task}">${this.task} ✕</a>` : nothing}
                <label class="check-box"><input type="checkbox" .checked=${this.follows} @change=${event => this.follow(event.target.checked)}> Follow</label>
            </div>
            ${entries.length ? html`
                <div class="table" role="region" aria-label="Journal" tabindex="0"><table class="journal">
                    <thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">What</th><th scope="col">Of what</th></tr></thead>
                    <tbody>${repeat(entries, entry => entry.seq, entry => this.line(entry))}</tbody>
                </table></div>` : html`<p class="empty">Nothing was done yet.</p>`}
            ${this.more ? html`<p class="more">${this.task ? html`Older ones are in <a href="/audit">all of it</a>.`
                : html`<button @click=${() => this.readBack()}>Show older ones</button>`}</p>` : nothing}`, this.root);
    }

    line(entry) {
        return html`
            <tr>
                <td><time datetime=${entry.at} title="${clock(entry.at)}, entry ${entry.seq}">${shortClock(entry.at)}</time></td>
                <td>${plain(entry.actor)}</td>
                <td><span class="action">${entry.action}</span> ${entry.decision ? html`<span class="tag ${entry.decision}">${entry.decision}</span>` : nothing}
                    ${entry.detail ? html`<small>${plain(entry.detail)}</small>` : nothing}</td>
                <td>
                    ${entry.cmd_preview ? html`<code>${plain(entry.cmd_preview)}</code>` : nothing}
                    ${entry.bytes === null ? nothing : html`<small title=${entry.sha256 ?? ''}>${size(entry.bytes)}</small>`}
                    ${entry.rule ? html`<small>rule ${entry.rule}</small>` : nothing}
                    ${entry.task_id ? html`<small class="of-task"><a href="/tasks/${entry.task_id}">${entry.task_id}</a>
                        ${this.task ? nothing : html`<a href=${query('/audit', {task: entry.task_id})} aria-label="only this: ${entry.task_id}">only this</a>`}</small>` : nothing}
                </td>
            </tr>`;
    }
}
