// One task: what it is, what it prints, what one does with it.
import {html, render, nothing} from '../lib.js';
import {bind} from '../keys.js';
import {active} from '../state.js';
import {go} from '../main.js';
import {mayChange} from '../who.js';
import {stop} from '../task/actions.js';
import {about, head} from '../task/head.js';
import {follow} from '../task/live.js';
import {openLog} from '../task/logview.js';

export async function open(root, {id}) {
    render(html`
        <article class="task">
            <header class="task-head"></header>
            <details class="more-of-it"><summary>Folder, processes, timeline</summary><div></div></details>
            <section class="output" aria-label="Output"></section>
        </article>`, root);
    const [top, details, more, output] = ['.task-head', 'details', 'details div', '.output'].map(name => root.querySelector(name));
    const live = await follow(id, draw);
    const log = openLog(output, live.task);
    const unbind = bind([
        ...(mayChange() ? [{key: 's', does: 'stop it', run: () => active(live.task) && stop(live.task, live.refresh)}] : []),
        {key: 'f', does: 'follow, or stay', run: log.toggle},
        {key: 'g Home', does: 'to its beginning', run: log.start},
        {key: 'G End', does: 'to its end', run: log.follow},
        {key: '/', does: 'search in all of it', run: () => log.search.open()},
        {key: 'n', does: 'next match', run: () => log.search.step(1)},
        {key: 'N', does: 'match before', run: () => log.search.step(-1)},
        {key: 'Escape', does: 'back to all tasks', run: () => log.search.close() || go('/')},
    ]);
    const clock = setInterval(() => draw(live.task), 1000);
    details.addEventListener('toggle', () => draw(live.task));
    draw(live.task);

    function draw(task) {
        render(head(task, () => live.refresh()), top);
        render(details.open ? about(task) : nothing, more);
        log?.grow(task);
    }

    return () => {
        clearInterval(clock);
        unbind();
        live.close();
        log.close();
    };
}
