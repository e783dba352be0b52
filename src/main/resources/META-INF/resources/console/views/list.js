// All tasks.
import {html, render, repeat} from '../lib.js';
import {get} from '../api.js';

export async function open(root) {
    const {tasks} = await get('/v1/tasks');
    render(html`
        <h1>Tasks</h1>
        <ul>${repeat(tasks, task => task.task_id, task => html`
            <li><a href="/tasks/${task.task_id}">${task.summary}</a> ${task.status}</li>`)}
        </ul>`, root);
}
