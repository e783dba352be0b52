// What the pages use of others, in one place: the versions are the pom's, and part of the addresses.
export {html, render, nothing} from '/webjars/lit-html/3.2.1/lit-html.js';
export {repeat} from '/webjars/lit-html/3.2.1/directives/repeat.js';
export {guard} from '/webjars/lit-html/3.2.1/directives/guard.js';

/** The class Terminal of xterm.js, fetched when the first terminal is shown. */
export async function terminalClass() {
    await import('/webjars/xterm/4.9.0/lib/xterm.js');
    return globalThis.Terminal;
}
