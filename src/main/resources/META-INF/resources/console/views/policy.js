// What the policy says of a command. Nothing is started.
import {html, render, nothing} from '../lib.js';
import {get, post} from '../api.js';
import {fail} from '../messages.js';
import {bind} from '../keys.js';
import {plain} from '../words.js';
import {classes, decided} from '../decided.js';

const SAYS = {allow: 'It may run', ask: 'A person is asked', deny: 'It is denied'};
const ON = [['command', 'runs'], ['input', 'is typed into a shell'], ['stop', 'is stopped']];

export function open(root) {
    const before = history.state?.checked ?? {};
    let verdict = null;
    let checked = '';
    let flaws = [];

    async function check(event) {
        event.preventDefault();
        const form = new FormData(event.target);
        const [cmd, workdir, on, labels, env] = ['cmd', 'workdir', 'on', 'labels', 'env'].map(name => form.get(name).trim());
        history.replaceState({...history.state, checked: Object.fromEntries(form)}, ''); // for who comes back
        try {
            verdict = await post('/v1/policy/check', {
                cmd,
                on,
                ...(workdir ? {workdir} : {}),
                ...(labels ? {labels: pairs(labels)} : {}),
                ...(env ? {env: Object.fromEntries(words(env).map(name => [name, '']))} : {}),
            });
            checked = cmd;
            flaws = await broken();
        } catch (failure) {
            verdict = null;
            fail(failure);
        }
        draw();
    }

    function draw() {
        render(html`
            <div class="toolbar"><h1>Policy</h1><p class="soft">Try a command on it. Nothing is started.</p></div>
            <form class="check" @submit=${check} @keydown=${sendByEnter}>
                <label class="wide">Command
                    <textarea name="cmd" .value=${before.cmd ?? ''} rows="3" required spellcheck="false" autocomplete="off" autocapitalize="off"></textarea></label>
                <label>Folder <input name="workdir" .value=${before.workdir ?? ''} placeholder="the workspace" spellcheck="false" autocomplete="off"></label>
                <label>Asked when it <select name="on">${ON.map(([value, name]) => html`<option value=${value} ?selected=${value === before.on}>${name}</option>`)}</select></label>
                <label>Labels <input name="labels" .value=${before.labels ?? ''} placeholder="team=web kind=build" spellcheck="false" autocomplete="off"></label>
                <label>Variables it sets <input name="env" .value=${before.env ?? ''} placeholder="PATH NODE_ENV" spellcheck="false" autocomplete="off"></label>
                <p class="wide actions"><span class="soft"><kbd>ctrl</kbd> <kbd>enter</kbd></span> <button class="strong">Check</button></p>
            </form>
            <section aria-live="polite" aria-label="What it says">${flaws.map(([file, flaw]) => html`<p class="flaw"><code>${plain(file)}</code> can't be used: ${plain(flaw)}</p>`)}
                ${verdict ? answer(verdict, checked) : nothing}</section>`, root);
    }

    const unbind = bind([{key: '/', does: 'write a command', run: () => root.querySelector('textarea').focus()}]);
    draw();
    if (before.cmd) {
        root.querySelector('form').requestSubmit();
    }
    return unbind;
}

function sendByEnter(event) {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        event.currentTarget.requestSubmit();
    }
}

/** The files of the policy that can't be used, and why: what is said is by older rules. */
async function broken() {
    const {checks = []} = await get('/q/health/well').catch(failure => failure.problem ?? {});
    return Object.entries(checks.find(({name}) => name === 'policy files')?.data ?? {});
}

const words = text => text.split(/[\s,]+/).filter(word => word);

const pairs = text => Object.fromEntries(words(text).map(word => [word.split('=')[0], word.split('=').slice(1).join('=')]));

/** A command that asks is no part of why another is denied. */
const deciding = ({decision, commands}) => (decision === 'allow' ? [] : commands.filter(one => one.decision === decision))
    .map(one => one.words.join(' '));

const answer = (verdict, checked) => html`
    <div class="verdict ${verdict.decision}">
        <h2>${SAYS[verdict.decision]}</h2>
        ${decided(checked, deciding(verdict))}
        ${verdict.reason ? html`<p class="reason">${plain(verdict.reason)}</p>` : nothing}
        <dl class="facts">
            <div><dt>Rule</dt><dd>${verdict.rule ?? 'none, so the default'}</dd></div>
            <div><dt>It is</dt><dd>${classes(verdict.classes)}</dd></div>
            <div><dt>Mode</dt><dd>${verdict.mode.replace('_', ' ')}</dd></div>
        </dl>
        ${verdict.commands.length > 1 ? parts(verdict.commands) : nothing}
    </div>`;

const parts = commands => html`
    <table>
        <caption>Its parts: the strictest decides</caption>
        <thead><tr><th scope="col">Command</th><th scope="col">It is</th><th scope="col">Decision</th><th scope="col">Rule</th></tr></thead>
        <tbody>${commands.map(part => html`
            <tr><td><code>${plain(part.words.join(' '))}</code></td><td>${classes(part.classes)}</td>
                <td>${classes([part.decision])}</td><td>${part.rule ?? nothing}</td></tr>`)}</tbody>
    </table>`;
