// What the server says: text, with the words that one types or opens set apart, which it puts between backquotes.
import {html} from './lib.js';
import {plain} from './words.js';

export const said = text => text.split('`').map((part, i) => (i % 2 ? html`<code>${plain(part)}</code>` : plain(part)));
