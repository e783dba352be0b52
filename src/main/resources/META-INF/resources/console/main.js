// The frame: which view the address names, and going from one to the next without a load.
import {html, render} from './lib.js';
import * as list from './views/list.js';
import * as task from './views/task.js';

// A view is a module with `open(root, params)`: it draws itself into root, and answers a function that closes it.
const VIEWS = [
    [/^\/(?:tasks)?$/, list],
    [/^\/tasks\/(?<id>[^/]+)$/, task],
];

let close = () => {};

async function show() {
    close();
    close = () => {};
    const root = document.querySelector('main');
    for (const [pattern, view] of VIEWS) {
        const match = pattern.exec(location.pathname);
        if (match) {
            close = (await view.open(root, match.groups ?? {})) ?? (() => {});
            return;
        }
    }
    render(html`<p>There is no such page. <a href="/">All tasks</a></p>`, root);
}

/** Goes to an address of ours, as a click on a link to it does. */
export function go(path) {
    history.pushState(null, '', path);
    return show();
}

function followLink(event) {
    const link = event.target.closest?.('a[href^="/"]');
    if (link && event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !link.target) {
        event.preventDefault();
        go(link.getAttribute('href'));
    }
}

render(html`<header><a class="brand" href="/">Holdfast</a></header><main></main>`, document.body);
document.addEventListener('click', followLink);
addEventListener('popstate', show);
show();
