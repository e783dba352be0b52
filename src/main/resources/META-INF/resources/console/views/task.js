// One task.
import {html, render} from '../lib.js';
import {get} from '../api.js';

export async function open(root, {id}) {
    const task = await get(`/v1/tasks/${id}`);
    render(html`<h1>${task.summary}</h1><p>${task.status}</p>`, root);
}
