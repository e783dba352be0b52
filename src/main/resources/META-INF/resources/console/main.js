// Which view the address names, and going from one to the next without a load.
import {html, render} from './lib.js';
import {session} from './api.js';
import {begin, lookAt, state} from './state.js';
import {drawFrame} from './frame.js';
import {bind} from './keys.js';
import {help} from './dialogs.js';
import {knock} from './who.js';
import {ended, showDoor} from './door.js';
import {trouble, unanswered} from './trouble.js';
import * as list from './views/list.js';
import * as task from './views/task.js';
import * as approvals from './views/approvals.js';
import * as policy from './views/policy.js';
import * as audit from './views/audit.js';

// A view is a module with `open(root, params)`: it draws itself into root, and answers a function that closes it.
const VIEWS = [
    [/^\/(?:tasks)?$/, list, 'Tasks'],
    [/^\/tasks\/(?<id>[^/]+)$/, task, 'Task'],
    [/^\/approvals$/, approvals, 'Approvals'],
    [/^\/policy$/, policy, 'Policy'],
    [/^\/audit$/, audit, 'Audit'],
];

const RETRY_MS = 1000;

let close = () => {};
let shown = 0;

async function show() {
    shown++;
    const mine = shown;
    close();
    close = () => {};
    const [view, name, params] = named(location.pathname);
    lookAt(params.id?.split(',') ?? []);
    drawFrame(name);
    const root = document.createElement('div');
    document.querySelector('main').replaceChildren(root);
    try {
        const closes = (await view.open(root, params)) ?? (() => {});
        if (mine === shown) {
            close = closes;
        } else {
            closes();
        }
    } catch (failure) {
        if (mine === shown) {
            render(trouble(failure), root);
            close = unanswered(failure) ? again() : close;
        }
    }
}

/** Shows it once more when the server is there, unless the answered function is called before. */
function again() {
    const timer = setInterval(() => state.connection === 'live' && show(), RETRY_MS);
    return () => clearInterval(timer);
}

function named(path) {
    for (const [pattern, view, name] of VIEWS) {
        const match = pattern.exec(path);
        if (match) {
            return [view, name, match.groups ?? {}];
        }
    }
    return [{open: root => void render(nowhere, root)}, 'No such page', {}];
}

const nowhere = html`<div class="trouble"><h1>There is nothing here</h1><p>No page of the console has this address.</p><p><a href="/">All tasks</a></p></div>`;

/** Goes to an address of ours, as a click on a link to it does. */
export async function go(path) {
    history.pushState({fromList: location.pathname === '/'}, '', path);
    await show();
    scrollTo(0, 0);
    document.querySelector('main').focus({preventScroll: true});
}

/** To the list of tasks: where one was in it, if one came from there. */
export function goToList() {
    if (history.state?.fromList) {
        history.back();
    } else {
        go('/');
    }
}

function followLink(event) {
    const link = event.target.closest?.('a[href^="/"]');
    if (link && event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !link.target) {
        event.preventDefault();
        go(link.getAttribute('href'));
    }
}

async function start() {
    document.querySelector('.unloaded')?.remove();
    addEventListener('hashchange', () => location.hash.startsWith('#key=') && location.reload());
    try {
        if (!(await knock())) {
            showDoor();
            return;
        }
    } catch (failure) {
        showDoor(failure);
        return;
    }
    session.addEventListener('unauthorized', ended, {once: true});
    bind([{key: '?', does: 'show these keys', run: help}]);
    document.addEventListener('click', followLink);
    addEventListener('popstate', show);
    begin();
    show();
}

start();
