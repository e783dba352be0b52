// The log of a task: a part of its output around what is looked at, never the whole. It follows at the end, and what is
// looked at stays where it is.
import {Refused} from '../api.js';
import {element, gapBlock, lineBlock, markFirstLine} from './blocks.js';
import {paint} from './paint.js';
import {size as sizeText} from '../words.js';
import {Stream} from './stream.js';

const CHUNK = 32 * 1024;
const LEAP = 512 * 1024;
const MOST_BYTES = 768 * 1024;
const MOST_LINES = 12_000;
const AT_END = 4;
const RETRY_MS = 1000;
const PACE_MS = 80;

/**
 * @param box the element that scrolls
 * @param tell called when `following`, `fresh` or `problem` changed
 */
export class Log {
    constructor(box, id, tell) {
        this.box = box;
        this.id = id;
        this.tell = tell;
        this.following = true;
        /** Whether there is output below that was not seen. */
        this.fresh = false;
        this.problem = null;
        this.streams = [];
        this.blocks = [];
        this.top = element('div', 'earlier');
        this.body = element('div', 'blocks');
        this.tail = element('div', 'tail');
        box.replaceChildren(this.top, this.body, this.tail);
        this.#remember();
        this.onScroll = () => this.#scrolled();
        box.addEventListener('scroll', this.onScroll, {passive: true});
        this.observer = new ResizeObserver(() => this.#settle());
        this.observer.observe(box);
        this.work = Promise.resolve();
    }

    close() {
        this.closed = true;
        this.box.removeEventListener('scroll', this.onScroll);
        this.observer.disconnect();
    }

    /** Shows the end of these streams, {stdout: bytes, stderr: bytes}. */
    show(sizes) {
        return this.#next(() => {
            this.streams = Object.entries(sizes).map(([name, size]) => new Stream(this.id, name, size));
            return this.#reset();
        });
    }

    /** There may be more than so much. */
    grow(sizes) {
        let more = false;
        for (const stream of this.streams) {
            const size = sizes[stream.name] ?? 0;
            more ||= size > stream.size;
            stream.size = Math.max(stream.size, size);
        }
        if (more && !this.following) {
            this.fresh = true;
            this.tell();
        }
        this.pump();
    }

    follow() {
        this.following = true;
        this.fresh = false;
        this.tell();
        const far = this.#behind() > LEAP;
        return this.#next(async () => {
            if (far) {
                await this.#reset();
            }
            this.#toEnd();
        }).then(() => this.pump());
    }

    stay() {
        this.following = false;
        this.tell();
    }

    /** Shows the first of it. */
    start() {
        return this.#next(async () => {
            this.stay();
            this.#clear();
            this.streams.forEach(stream => stream.startAt(0));
            await this.#fill();
            this.#scrollTo(0);
        });
    }

    /** Shows the line that begins there, marked. */
    jump(name, offset) {
        return this.#next(async () => {
            this.stay();
            this.#clear();
            const stream = this.streams.find(one => one.name === name);
            stream.startAt(offset);
            await this.#later(stream);
            const hit = this.blocks.find(block => block.lines > 0);
            const line = markFirstLine(hit?.element ?? this.tail);
            await this.#earlier();
            await this.#fill();
            if (line) { // without scrollIntoView, which moves the page too
                const above = line.getBoundingClientRect().top - this.box.getBoundingClientRect().top;
                this.#scrollTo(this.box.scrollTop + above - this.box.clientHeight / 3);
            }
        });
    }

    /** Reads what there is to read, as far as somebody looks. */
    pump() {
        this.pumping ??= this.#next(async () => {
            this.pumping = null;
            if (this.following && (this.#behind() > LEAP || this.blocks.length === 0)) {
                await this.#reset();
            }
            await this.#fill();
        }).then(() => {
            if (this.following && this.#behind() > 0 && !this.closed) {
                setTimeout(() => this.pump(), PACE_MS);
            }
        });
        return this.pumping;
    }

    #next(step) {
        const run = async () => {
            if (this.closed) {
                return;
            }
            try {
                await step();
                this.#trouble(null);
            } catch (failure) {
                this.#trouble(failure);
                if (!(failure instanceof Refused)) {
                    setTimeout(() => this.pump(), RETRY_MS);
                }
            }
        };
        this.work = this.work.then(run);
        return this.work;
    }

    #trouble(failure) {
        if (this.problem !== failure) {
            this.problem = failure;
            this.tell();
        }
    }

    #behind() {
        return this.streams.reduce((sum, stream) => sum + stream.behind, 0);
    }

    #clear() {
        this.blocks.forEach(block => block.element.remove());
        this.blocks = [];
        this.#paintOpen();
    }

    /** What was shown stands until what takes its place is there. */
    async #reset() {
        const ends = [];
        for (const stream of this.streams) {
            await stream.startNearEnd(this.#share(stream, 'size'));
            if (stream.behind > 0) {
                ends.push([stream, await stream.later(CHUNK)]);
            }
        }
        this.#clear();
        ends.forEach(([stream, page]) => this.#addPage(stream, page));
        this.#settle();
        await this.#fillAbove();
        this.#settle();
    }

    #share(stream, what) {
        const all = this.streams.reduce((sum, one) => sum + one[what], 0);
        return Math.ceil(CHUNK * stream[what] / Math.max(all, 1));
    }

    /** Later output, while it is followed or looked at. */
    async #fill() {
        for (let reads = 0; reads < 64; reads++) {
            const behind = this.streams.filter(stream => stream.behind > 0);
            if (behind.length === 0 || !(this.following || this.#below() < 2 * this.box.clientHeight)) {
                break;
            }
            for (const stream of behind) {
                await this.#later(stream);
            }
            if (this.following && this.#behind() > LEAP) {
                break;
            }
        }
        this.#settle();
    }

    #below() {
        return this.box.scrollHeight - this.box.scrollTop - this.box.clientHeight;
    }

    async #fillAbove() {
        for (let reads = 0; reads < 6 && this.box.scrollTop < this.box.clientHeight && this.#hasEarlier(); reads++) {
            await this.#earlier();
        }
    }

    #hasEarlier() {
        return this.streams.some(stream => stream.first > 0);
    }

    async #later(stream) {
        this.#addPage(stream, await stream.later(CHUNK));
        this.#trimTop();
        if (this.following) {
            this.#toEnd();
        }
    }

    #addPage(stream, {lines, from, to, gap}) {
        if (gap) {
            this.#add(gapBlock(stream, gap));
        }
        if (lines.length > 0) {
            this.#add(lineBlock(stream, lines, from, to));
        }
        this.#paintOpen();
    }

    /** Little pieces of one stream become one block. */
    #add(block) {
        const last = this.blocks.at(-1);
        if (block.lines > 0 && last?.stream === block.stream && last.lines > 0 && last.to === block.from
            && block.to - last.from <= CHUNK) {
            paint(last.element, block.content);
            last.lines += block.lines;
            last.to = block.to;
            return;
        }
        paint(block.element, block.content);
        delete block.content;
        this.blocks.push(block);
        this.body.append(block.element);
    }

    /** Of each stream as much as its share: which line came first of two streams is not on record. */
    async #earlier() {
        const found = [];
        const shares = new Map(this.streams.filter(one => one.first > 0).map(one => [one, this.#share(one, 'first')]));
        for (const [stream, share] of shares) {
            const {lines, from, to, gap} = await stream.earlier(share);
            if (gap) {
                found.push(gapBlock(stream, gap));
            }
            if (lines.length > 0) {
                const block = lineBlock(stream, lines, gap ? gap.to : from, to);
                paint(block.element, lines);
                found.push(block);
            }
        }
        this.#keepingPlace(() => {
            this.body.prepend(...found.map(block => block.element));
            this.blocks.unshift(...found);
            this.#paintTop();
        });
        this.#trimEnd();
    }

    #keepingPlace(change) {
        const fromEnd = this.box.scrollHeight - this.box.scrollTop;
        change();
        this.#scrollTo(this.following ? this.box.scrollHeight : this.box.scrollHeight - fromEnd);
    }

    #tooMuch() {
        const bytes = this.blocks.reduce((sum, block) => sum + block.to - block.from, 0);
        const lines = this.blocks.reduce((sum, block) => sum + block.lines, 0);
        return this.blocks.length > 3 && (bytes > MOST_BYTES || lines > MOST_LINES);
    }

    #trimTop() {
        const fromEnd = this.box.scrollHeight - this.box.scrollTop;
        let dropped = false;
        while (this.#tooMuch()) {
            const block = this.blocks[0];
            block.stream.first = block.to;
            this.#drop(block);
            dropped = true;
        }
        if (dropped) {
            this.#paintTop();
            this.#scrollTo(this.box.scrollHeight - fromEnd);
        }
    }

    #trimEnd() {
        while (!this.following && this.#tooMuch()) {
            const block = this.blocks.at(-1);
            block.stream.cutAt(block.from);
            this.#drop(block);
        }
        this.#paintOpen();
    }

    #drop(block) {
        block.element.remove();
        this.blocks.splice(this.blocks.indexOf(block), 1);
    }

    #paintOpen() {
        this.tail.replaceChildren(...this.streams.filter(stream => stream.open.length > 0).map(stream => {
            const part = element('div', stream.name);
            paint(part, [stream.open]);
            return part;
        }));
    }

    #paintTop() {
        const before = this.streams.reduce((sum, stream) => sum + stream.first, 0);
        this.top.textContent = before > 0 ? `${sizeText(before)} before this` : '';
    }

    #settle() {
        this.#paintTop();
        if (this.following) {
            this.#toEnd();
        }
    }

    #toEnd() {
        this.#scrollTo(this.box.scrollHeight);
    }

    #scrollTo(top) {
        this.box.scrollTop = top;
        this.#remember();
    }

    #remember() {
        this.lastTop = this.box.scrollTop;
        this.lastHeight = this.box.scrollHeight;
    }

    /** By a person: what is moved here is known already, but where less is shown than before the browser moves it. */
    #scrolled() {
        const moved = this.box.scrollHeight < this.lastHeight ? 0 : this.box.scrollTop - this.lastTop;
        this.#remember();
        const atEnd = this.#below() <= AT_END && this.#behind() === 0;
        if (moved > 0 && atEnd && !this.following) {
            this.following = true;
            this.fresh = false;
            this.tell();
        } else if (moved < -1 && !atEnd && this.following) {
            this.stay();
        }
        if (!this.following) {
            this.#lookAround();
        }
    }

    #lookAround() {
        if (this.box.scrollTop < this.box.clientHeight && this.#hasEarlier()) {
            this.reading ??= this.#next(() => this.#fillAbove()).then(() => {
                this.reading = null;
            });
        }
        if (this.#below() < this.box.clientHeight && this.#behind() > 0) {
            this.pump();
        }
    }
}
