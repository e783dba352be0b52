// In place of what could not be shown: why, and where to go from here.
import {html} from './lib.js';
import {Refused} from './api.js';
import {said} from './said.js';

/** Whether nobody answered at all: then it may be asked for again. */
export const unanswered = failure => !(failure instanceof Refused);

export const trouble = failure => html`
    <div class="trouble" role="alert">
        <h1>${unanswered(failure) ? 'The server does not answer' : said(failure.message)}</h1>
        <p>${hint(failure)}</p>
        <p><a href="/">All tasks</a></p>
    </div>`;

function hint(failure) {
    if (unanswered(failure)) {
        return 'It may be starting again. This page goes on when it is back.';
    }
    const {forgotten_at: forgotten, in_window: inWindow} = failure.problem.details ?? {};
    return failure.status === 404 && !inWindow
        ? html`${forgotten ? 'What' : 'It may have been forgotten, or have ended before it became a task: what'} has ended is kept for a while. See <a href="/?status=ended">what has ended</a>.`
        : said(failure.hint);
}
