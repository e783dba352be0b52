// The page of who has no session: how to get in.
import {html, render, nothing} from './lib.js';
import {Refused} from './api.js';
import {said} from './said.js';
import {isIn, signIn} from './who.js';

const ENDED = 'holdfast.ended';

/** What the page does when its session is over: it is loaded anew, says so, and goes on here once one is in again. */
export function ended() {
    sessionStorage.setItem(ENDED, 'yes');
    location.reload();
}

/** Whether this page was in until now; asked once. */
function wasIn() {
    const was = sessionStorage.getItem(ENDED) !== null;
    sessionStorage.removeItem(ENDED);
    return was;
}

/** One may have come in by another page of this browser. */
async function lookAgain() {
    if (!document.hidden && await isIn()) {
        location.reload();
    }
}

const why = failure => html`<p class="wrong">${failure instanceof Refused
    ? html`${said(failure.message)} <small>${said(failure.hint)}</small>`
    : 'The server does not answer. Load the page again in a moment.'}</p>`;

let over = null;

/** Draws it instead of all else. `failure`, where there is one, is why one is not in. Ends with a load of the page. */
export function showDoor(failure = null) {
    over ??= wasIn();
    document.addEventListener('visibilitychange', lookAgain);
    document.title = 'Sign in · Holdfast';
    const enter = async event => {
        event.preventDefault();
        const token = new FormData(event.target).get('token').trim();
        try {
            await signIn({token});
            location.reload();
        } catch (refusal) {
            showDoor(refusal);
            document.querySelector('[name=token]').select();
        }
    };
    render(html`
        <main class="door" id="main">
            <p class="brand"><span class="mark" aria-hidden="true"></span>Holdfast</p>
            <h1>${over ? 'Your session has ended' : 'Come in by a terminal'}</h1>
            <p>${over ? 'Sign in, and this page goes on where it was. ' : nothing}On the machine that it runs on, this opens the console here, signed in:</p>
            <pre tabindex="0">holdfast console</pre>
            <form @submit=${enter}>
                <label for="token">Or paste a token</label>
                <div class="actions">
                    <input id="token" name="token" type="password" required autocomplete="off" spellcheck="false">
                    <button class="strong">Sign in</button>
                </div>
                <p class="soft">The server's own is in the file <code>token</code> of its data folder. It is sent once, for a
                    session of 12 hours, and kept nowhere here.</p>
            </form>
            <div role="alert">${failure ? why(failure) : nothing}</div>
        </main>`, document.body);
}
