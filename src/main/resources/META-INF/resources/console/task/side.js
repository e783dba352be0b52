// Several tasks side by side: /tasks/a,b
import {html, render, nothing} from '../lib.js';
import {bind} from '../keys.js';
import {goToList} from '../main.js';
import {Refused} from '../api.js';
import {active, watch} from '../state.js';
import {outcome, plain} from '../words.js';
import {beside, sideBySide} from './beside.js';
import {follow} from './live.js';
import {openOutput} from './output.js';

export async function openSide(root, ids) {
    render(html`
        <div class="toolbar"></div>
        <div class="side">${ids.map(id => html`<section class="column" data-id=${id}><header></header><div class="output"></div></section>`)}</div>`, root);
    const draw = () => render(html`<h1>Side by side</h1>${beside(ids)}`, root.querySelector('.toolbar'));
    draw();
    const results = await Promise.allSettled(ids.map(id => openColumn(root.querySelector(`[data-id="${CSS.escape(id)}"]`), id, ids)));
    const columns = results.map(({value}) => value).filter(column => column);
    const failed = results.find(({status}) => status === 'rejected');
    if (failed) {
        columns.forEach(column => column.close());
        throw failed.reason;
    }
    const unwatch = watch(draw);
    const unbind = bind([
        {key: 'f', does: 'follow all, to their ends', run: () => columns.forEach(column => column.output.follow())},
        {key: 'Escape', does: 'back to all tasks', run: goToList},
    ]);
    return () => {
        unbind();
        unwatch();
        columns.forEach(column => column.close());
    };
}

/** Answers null for one that is not there: the others are followed all the same. */
async function openColumn(place, id, ids) {
    const away = html`<a class="away" href=${sideBySide(ids.filter(one => one !== id))} aria-label="Put this one away">✕</a>`;
    let output = null;
    const draw = task => {
        render(html`<h2><a class="command" href="/tasks/${id}">${plain(task.summary)}</a></h2>
            ${task.waiting === 'input' ? html`<span class="mark-input">waits for input</span>` : nothing}
            <span class="soft">${task.forgotten ? 'forgotten' : active(task) ? task.status : outcome(task)}</span>${away}`, place.querySelector('header'));
        place.setAttribute('aria-label', plain(task.summary));
        output?.update(task);
    };
    const live = await follow(id, draw).catch(failure => {
        if (!(failure instanceof Refused)) {
            throw failure;
        }
        render(html`<h2>${failure.message}</h2>${away}`, place.querySelector('header'));
        return null;
    });
    if (live === null) {
        return null;
    }
    output = openOutput(place.querySelector('.output'), live.task, live.refresh, true);
    draw(live.task);
    return {
        output,
        close() {
            live.close();
            output.close();
        },
    };
}
