// What a command printed as lines of styled text: the lines that the server's text reads give, with their colours.
// Escapes that mean anything else are left out, and so are control characters.

const PLAIN = 'plain';
/** As long as the server's: an escape without an end is given up after so many characters. */
const ESCAPE_LIMIT = 4096;
/** One character a cell; what is longer goes on in the next row. */
const LINE_LIMIT = 16_384;

const TEXT = /[^\x00-\x1f\x7f-\x9f]+/y;
const ESCAPES = [
    /\x1b\[(?<params>[\x20-\x3f]*)(?:(?<final>[\x40-\x7e])|(?=[^\x20-\x7e]))/y,
    /\x1b[\]k](?<string>[^\x07\x18\x1a\x1b]*)(?:\x07|\x18|\x1a|\x1b\\|(?=\x1b[^\\]))/y,
    /\x1b[PX^_][^\x18\x1a\x1b]*(?:\x18|\x1a|\x1b\\|(?=\x1b[^\\]))/y,
    /\x1b(?![\[\]kPX^_])[\x20-\x2f]*(?:[\x30-\x7e]|(?=[^\x20-\x7e]))/y,
];

/** Styles by what they say, so that equal ones are the same object. */
const styles = new Map();

/** {fg, bg, bold, dim, italic, underline, inverse, strike, link}; colours as 0..255 or `#rrggbb`. */
function style(parts) {
    const key = JSON.stringify(Object.entries(parts).filter(([, value]) => value !== undefined && value !== false).sort());
    if (key === '[]') {
        return PLAIN;
    }
    if (!styles.has(key)) {
        styles.set(key, Object.freeze({...parts}));
    }
    return styles.get(key);
}

/** Reads one stream from a place on. `take` may be called with any parts of it. */
export class Lines {
    #style = PLAIN;
    #rest = '';
    #cells = [];
    #styles = [];
    #cursor = 0;

    /** Answers the lines that this completes, each as [{text, style}]. */
    take(text) {
        const all = this.#rest + text;
        const done = [];
        let at = 0;
        this.#rest = '';
        while (at < all.length) {
            const plain = match(TEXT, all, at);
            if (plain) {
                this.#write(plain[0], done);
                at += plain[0].length;
            } else if (all[at] === '\x1b') {
                const end = this.#escape(all, at);
                if (end < 0) {
                    this.#rest = all.slice(at);
                    return done;
                }
                at = end;
            } else {
                this.#control(all[at], done);
                at++;
            }
        }
        return done;
    }

    /** The line that is not complete yet. */
    get open() {
        return runs(this.#cells, this.#styles);
    }

    get openLength() {
        return this.#cells.length;
    }

    /** What is open is a line, and another begins. */
    flush() {
        const line = this.open;
        this.#cells = [];
        this.#styles = [];
        this.#cursor = 0;
        return line;
    }

    #write(text, done) {
        for (const character of text) {
            if (this.#cursor >= LINE_LIMIT) {
                done.push(this.flush());
            }
            this.#cells[this.#cursor] = character;
            this.#styles[this.#cursor] = this.#style;
            this.#cursor++;
        }
    }

    #control(character, done) {
        if (character === '\n') {
            done.push(this.flush());
        } else if (character === '\t') {
            this.#write('\t', done);
        } else if (character === '\r') {
            this.#cursor = 0;
        } else if (character === '\b') {
            this.#moveTo(this.#cursor - 1);
        }
    }

    /** Answers where it ends; negative where its end is not there yet. */
    #escape(all, at) {
        for (const pattern of ESCAPES) {
            const found = match(pattern, all, at);
            if (found) {
                const {params, final, string} = found.groups ?? {};
                if (final) {
                    this.#sequence(params, final);
                } else if (string?.startsWith('8;') && all[at + 1] === ']') {
                    this.#link(string);
                }
                return at + found[0].length;
            }
        }
        return all.length - at > ESCAPE_LIMIT ? at + ESCAPE_LIMIT : -1;
    }

    #link(string) {
        const address = string.slice(string.indexOf(';', 2) + 1);
        this.#style = style({...this.#parts(), link: web(address) ?? undefined});
    }

    #sequence(params, final) {
        const number = Number.parseInt(params, 10) || 0;
        switch (final) {
            case 'm': this.#colour(params); break;
            case 'K': this.#erase(number); break;
            case 'G': case '`': this.#moveTo(Math.max(number, 1) - 1); break;
            case 'C': case 'a': this.#moveTo(this.#cursor + Math.max(number, 1)); break;
            case 'D': this.#moveTo(this.#cursor - Math.max(number, 1)); break;
            default:
        }
    }

    #moveTo(column) {
        this.#cursor = Math.min(Math.max(column, 0), this.#cells.length);
    }

    #erase(mode) {
        if (mode === 0 || mode === 2) {
            const length = mode === 0 ? this.#cursor : 0;
            this.#cells.length = length;
            this.#styles.length = length;
            this.#cursor = length;
        }
    }

    #parts() {
        return this.#style === PLAIN ? {} : {...this.#style};
    }

    #colour(params) {
        if (/[^\d;:]/.test(params)) {
            return;
        }
        const codes = params.split(/[;:]/).map(code => Number(code));
        let parts = this.#parts();
        while (codes.length > 0) {
            const code = codes.shift();
            if (code === 38 || code === 48) {
                parts[code === 38 ? 'fg' : 'bg'] = extended(codes);
            } else {
                parts = {...(code === 0 ? {link: parts.link} : parts), ...plainCode(code)};
            }
        }
        this.#style = style(parts);
    }
}

const ON_OFF = {
    1: {bold: true}, 2: {dim: true}, 3: {italic: true}, 4: {underline: true}, 7: {inverse: true}, 9: {strike: true},
    22: {bold: undefined, dim: undefined}, 23: {italic: undefined}, 24: {underline: undefined},
    27: {inverse: undefined}, 29: {strike: undefined}, 39: {fg: undefined}, 49: {bg: undefined},
};

function plainCode(code) {
    const within = from => code >= from && code < from + 8;
    return within(30) ? {fg: code - 30}
        : within(40) ? {bg: code - 40}
            : within(90) ? {fg: code - 82}
                : within(100) ? {bg: code - 92}
                    : ON_OFF[code] ?? {};
}

/** `5;n` or `2;r;g;b`, taken from the codes. */
function extended(codes) {
    const kind = codes.shift();
    if (kind === 5) {
        const colour = codes.shift();
        return colour <= 255 ? colour : undefined;
    }
    if (kind === 2) {
        const rgb = codes.splice(0, 3);
        return rgb.length === 3 && rgb.every(part => part <= 255)
            ? `#${rgb.map(part => part.toString(16).padStart(2, '0')).join('')}`
            : undefined;
    }
    return undefined;
}

/** The address where it is one of the web, else null. */
function web(address) {
    const url = URL.canParse(address) ? new URL(address) : null;
    return url && ['http:', 'https:'].includes(url.protocol) ? url.href : null;
}

function match(pattern, text, at) {
    pattern.lastIndex = at;
    return pattern.exec(text);
}

function runs(cells, styleOf) {
    const line = [];
    let from = 0;
    for (let i = 1; i <= cells.length; i++) {
        if (i === cells.length || styleOf[i] !== styleOf[from]) {
            line.push({text: cells.slice(from, i).join(''), style: styleOf[from]});
            from = i;
        }
    }
    return line;
}

export const isPlain = one => one === PLAIN;
