// The part of one stream that a log shows, and how it grows at both ends.
import {Lines} from './ansi.js';
import {read, readBefore, wholeLines} from './bytes.js';

/** An unfinished line that is longer is shown as a line, and another begins. */
const OPEN_LIMIT = 4096;
/** The first line is written over what was in its place before, as a progress bar does it. */
const WRITES_OVER = /^[^\n\r]*\r(?!\n)/;

export class Stream {
    /** @param size how many bytes there are, as far as is known */
    constructor(id, name, size) {
        this.id = id;
        this.name = name;
        this.size = size;
        /** Nothing before it is shown: 0, but where another stream is shown whole and of this only the last. */
        this.floor = 0;
        this.startAt(size);
    }

    /** Shows nothing, from this place on: the beginning of a line. */
    startAt(offset) {
        this.first = offset;
        /** What ends here without a newline is not seen: it is written over. */
        this.writtenOver = null;
        this.cutAt(offset);
    }

    /** The same, once the server has answered that it reads there. */
    async reach(offset) {
        await read(this.id, this.name, offset, 1);
        this.startAt(offset);
    }

    /** Shows nothing, from the beginning of a line on that is at most so far from the end. */
    async startNearEnd(most) {
        const {from, gap} = await readBefore(this.id, this.name, this.size, most);
        this.startAt(gap ? gap.to : from);
    }

    /** What follows this place is not shown any more. */
    cutAt(offset) {
        this.next = offset;
        /** Where the line begins that is not complete. */
        this.openFrom = offset;
        this.lines = new Lines();
        this.decoder = new TextDecoder();
    }

    get above() {
        return Math.max(0, this.first - this.floor);
    }

    get behind() {
        return Math.max(0, this.size - this.next);
    }

    /** Answers the complete lines that follow, {lines, from, to, gap}, and keeps what is not complete as `open`. */
    async later(most) {
        const page = await read(this.id, this.name, this.next, most);
        if (page.next <= this.next) {
            this.size = page.next; // it has cut its own output
            this.next = page.next;
            return {lines: [], from: page.next, to: page.next, gap: null};
        }
        const gap = page.from > this.next ? {from: this.next, to: page.from} : null;
        const from = gap ? page.from : this.openFrom;
        const before = gap ? [this.lines.flush()].filter(line => line.length > 0) : [];
        const text = this.decoder.decode(page.bytes, {stream: true});
        const lines = before.concat(this.lines.take(text));
        if (page.from === this.first && WRITES_OVER.test(text)) {
            this.writtenOver = this.first;
        }
        const whole = wholeLines(page.bytes);
        this.next = page.next;
        this.size = Math.max(this.size, page.next);
        this.openFrom = whole > 0 ? page.from + whole : from;
        if (this.lines.openLength > OPEN_LIMIT) {
            lines.push(this.lines.flush());
            this.openFrom = page.next;
        }
        return {lines, from, to: this.openFrom, gap};
    }

    /** Answers the lines that come before, {lines, from, to, gap}. */
    async earlier(most) {
        const to = this.first;
        const {bytes, from, gap} = await readBefore(this.id, this.name, to, most);
        this.first = gap ? gap.from : from;
        const parser = new Lines();
        const text = new TextDecoder().decode(bytes);
        const lines = parser.take(text);
        if (parser.openLength > 0 && to !== this.writtenOver) {
            lines.push(parser.flush());
        }
        if (!gap && WRITES_OVER.test(text)) {
            this.writtenOver = this.first;
        }
        return {lines, from: this.first, to, gap};
    }

    get open() {
        return this.lines.open;
    }
}
