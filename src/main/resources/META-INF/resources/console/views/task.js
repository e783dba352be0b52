// One task: what it is, what it prints, what one does with it. Several ids with commas between are shown side by side.
import {html, render, nothing} from '../lib.js';
import {bind} from '../keys.js';
import {active} from '../state.js';
import {goToList} from '../main.js';
import {mayChange} from '../who.js';
import {stop} from '../task/actions.js';
import {about, head} from '../task/head.js';
import {drawInput} from '../task/input.js';
import {follow} from '../task/live.js';
import {openOutput} from '../task/output.js';
import {openSide} from '../task/side.js';
import {Timeline} from '../task/timeline.js';

const CLOCK_MS = 1000;

export function open(root, {id}) {
    const ids = [...new Set(id.split(','))];
    return ids.length > 1 ? openSide(root, ids) : openTask(root, id);
}

async function openTask(root, id) {
    render(html`
        <article class="task">
            <header class="task-head"></header>
            <details class="more-of-it"><summary>Command, folder, processes, timeline</summary><div></div></details>
            <section class="output" aria-label="Output"></section>
            <div class="input-place"></div>
        </article>`, root);
    const [top, details, more, place, input] =
        ['.task-head', 'details', 'details div', '.output', '.input-place'].map(name => root.querySelector(name));
    const timeline = new Timeline(id);
    let output = null;
    const live = await follow(id, draw);
    output = openOutput(place, live.task, live.refresh);
    const unbind = bind([
        ...(mayChange() ? [
            {key: 's', does: 'stop it', run: () => active(live.task) && stop(live.task)},
            {key: 'i', does: 'type into it; ctrl-] leaves a terminal', run: () => input.querySelector('input')?.focus() ?? output.type()},
        ] : []),
        ...output.keys,
        {key: 'Escape', does: 'back to all tasks', run: () => output.escape() || goToList()},
    ]);
    const clock = setInterval(() => draw(live.task), CLOCK_MS);
    details.addEventListener('toggle', () => draw(live.task));
    draw(live.task);

    function draw(task) {
        timeline.observe(task);
        render(head(task, () => live.refresh()), top);
        if (details.open) {
            timeline.look();
        }
        render(details.open ? html`${about(task)}${timeline.draw(task)}` : nothing, more);
        drawInput(input, task);
        output?.update(task);
    }

    return () => {
        clearInterval(clock);
        unbind();
        live.close();
        output.close();
    };
}
