// What is around each view: where one can go, who one is, whether the page is live.
import {html, render, nothing} from './lib.js';
import {lookedAt, state, watch} from './state.js';
import {me, mayAudit, signOut} from './who.js';
import {fail, showIn} from './messages.js';
import {help} from './dialogs.js';
import {plain} from './words.js';

const CONNECTION = {
    connecting: 'Connecting',
    live: 'Live',
    away: html`<span class="short" aria-hidden="true">Away</span><span class="long">The server is away. This page goes on when it is back.</span>`,
};

let title = '';
let drawn = '';

/** Draws the frame around a view of this name. */
export function drawFrame(name) {
    if (!document.querySelector('main')) {
        build();
    }
    title = name;
    draw();
}

function build() {
    render(html`
        <a class="skip" href="#main" @click=${skip}>Skip to the page</a>
        <header id="frame"></header>
        <main id="main" tabindex="-1"></main>
        <aside id="messages" aria-label="Messages"></aside>`, document.body);
    showIn(document.getElementById('messages'));
    watch(drawIfChanged);
}

function skip(event) {
    event.preventDefault();
    document.getElementById('main').focus();
}

/** How many people are asked about. */
export const waiting = () => [...state.approvals.values()].filter(approval => approval.state === 'pending').length;

function drawIfChanged() {
    const now = `${waiting()} ${state.connection} ${lookedAt()?.task_id}`;
    if (now !== drawn) {
        drawn = now;
        draw();
    }
}

function draw() {
    const asked = waiting();
    const about = plain(lookedAt()?.summary) || title;
    document.title = `${asked ? `(${asked}) ` : ''}${about ? `${about} · ` : ''}Holdfast`;
    render(html`
        <a class="brand" href="/" aria-label="Holdfast: all tasks"><span class="mark" aria-hidden="true"></span>Holdfast</a>
        <nav aria-label="Pages">
            ${link('/', 'Tasks')}
            ${link('/approvals', 'Approvals', html`<span role="status">${asked
                ? html` <span class="count">${asked}<span class="unseen"> waiting for an answer</span></span>` : nothing}</span>`)}
            ${link('/policy', 'Policy')}
            ${mayAudit() ? link('/audit', 'Audit') : nothing}
        </nav>
        <p class="connection ${state.connection}" role="status">${CONNECTION[state.connection]}</p>
        <p class="who">
            <span>${me.name}${me.role === me.name ? nothing : html` <small>${me.role}</small>`}</span>
            <button class="quiet" @click=${leave}>Sign out</button>
            <button class="quiet" aria-label="Keys" title="Keys (?)" @click=${help}>?</button>
        </p>`, document.getElementById('frame'));
}

const leave = () => signOut().then(() => location.reload(), fail);

const link = (path, name, mark = nothing) => html`
    <a href=${path} aria-current=${location.pathname === path ? 'page' : nothing}>${name}${mark}</a>`;
