// Several tasks side by side: /tasks/a,b
import {html, render} from '../lib.js';
import {bind} from '../keys.js';
import {go} from '../main.js';
import {active} from '../state.js';
import {outcome, plain} from '../words.js';
import {follow} from './live.js';
import {openLog} from './logview.js';

export async function openSide(root, ids) {
    render(html`
        <h1 class="side-title">Side by side</h1>
        <div class="side">${ids.map(id => html`<section class="column" data-id=${id}><header></header><div class="output"></div></section>`)}</div>`, root);
    const columns = await Promise.all(ids.map(id => openColumn(root.querySelector(`[data-id="${CSS.escape(id)}"]`), id)));
    const unbind = bind([
        {key: 'f', does: 'follow all, to their ends', run: () => columns.forEach(column => column.log.follow())},
        {key: 'Escape', does: 'back to all tasks', run: () => go('/')},
    ]);
    return () => {
        unbind();
        columns.forEach(column => column.close());
    };
}

async function openColumn(place, id) {
    let log = null;
    const draw = task => {
        render(html`<h2><a class="command" href="/tasks/${id}">${plain(task.summary)}</a></h2>
            <span class="soft">${active(task) ? task.status : outcome(task)}</span>`, place.querySelector('header'));
        place.setAttribute('aria-label', plain(task.summary));
        log?.grow(task);
    };
    const live = await follow(id, draw);
    log = openLog(place.querySelector('.output'), live.task);
    draw(live.task);
    return {
        log,
        close() {
            live.close();
            log.close();
        },
    };
}
