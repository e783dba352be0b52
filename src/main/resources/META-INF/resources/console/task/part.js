// The part of a task's output that is on the page: whole lines in blocks, before them how much is above, and after them
// the lines that are not complete. It neither reads nor scrolls.
import {apartBlock, element, gapBlock, lineBlock, markFirstLine} from './blocks.js';
import {paint} from './paint.js';
import {size as sizeText} from '../words.js';

const BLOCK_BYTES = 32 * 1024;
/** As they are shown: of a progress bar that is all but nothing. */
const MOST_CHARACTERS = 768 * 1024;
const MOST_LINES = 12_000;

export class Part {
    constructor(box) {
        this.streams = [];
        this.blocks = [];
        this.top = element('div', 'earlier');
        this.body = element('div', 'blocks');
        this.tail = element('div', 'tail');
        box.replaceChildren(this.top, this.body, this.tail);
    }

    get empty() {
        return this.blocks.length === 0;
    }

    clear() {
        this.blocks.forEach(block => block.element.remove());
        this.blocks = [];
        this.paintTail();
    }

    /** Adds what a stream answered as later, and what of it is not complete; set apart where another is the `main` one. */
    append(stream, {lines, from, to, gap}, main = stream) {
        if (gap) {
            this.#add(gapBlock(stream, gap));
        }
        if (lines.length > 0) {
            this.#add(main === stream ? lineBlock(stream, lines, from, to) : apartBlock(stream, main, lines, from, to));
        }
        this.paintTail();
    }

    /** Little pieces of one stream become one block. */
    #add(block) {
        const last = this.blocks.at(-1);
        if (block.lines > 0 && last?.stream === block.stream && last.lines > 0 && last.to === block.from && !last.apart && !block.apart
            && block.to - last.from <= BLOCK_BYTES) {
            paint(last.element, block.content);
            last.lines += block.lines;
            last.to = block.to;
            measure(last);
            return;
        }
        paint(block.paper ?? block.element, block.content);
        delete block.content;
        measure(block);
        this.blocks.push(block);
        this.body.append(block.element);
    }

    /** Adds what streams answered as earlier, [stream, page]; set apart where another is the `main` one. */
    prepend(pages, main) {
        const found = [];
        for (const [stream, {lines, from, to, gap}] of pages) {
            if (gap) {
                found.push(gapBlock(stream, gap));
            }
            if (lines.length > 0) {
                const begin = gap ? gap.to : from;
                const block = stream === main ? lineBlock(stream, lines, begin, to) : apartBlock(stream, main, lines, begin, to);
                paint(block.paper ?? block.element, lines);
                found.push(block);
            }
        }
        found.forEach(measure);
        this.body.prepend(...found.map(block => block.element));
        this.blocks.unshift(...found);
        this.paintTop();
    }

    /** Marks the first line, and answers its element. */
    markFirst() {
        const hit = this.blocks.find(block => block.lines > 0);
        return markFirstLine(hit?.element ?? this.tail);
    }

    /** Takes off at the top what is too much. Answers whether there was something. */
    trimTop() {
        let dropped = false;
        while (this.#tooMuch()) {
            const block = this.blocks.shift();
            block.stream.first = block.to;
            block.element.remove();
            dropped = true;
        }
        if (dropped) {
            this.paintTop();
        }
        return dropped;
    }

    /** The same at the end. */
    trimEnd() {
        const had = this.blocks.length;
        while (this.#tooMuch()) {
            const block = this.blocks.pop();
            block.stream.cutAt(block.from);
            block.element.remove();
        }
        this.paintTail();
        return this.blocks.length < had;
    }

    #tooMuch() {
        const characters = this.blocks.reduce((sum, block) => sum + block.size, 0);
        const lines = this.blocks.reduce((sum, block) => sum + block.lines, 0);
        return this.blocks.length > 3 && (characters > MOST_CHARACTERS || lines > MOST_LINES);
    }

    paintTail() {
        this.tail.replaceChildren(...this.streams.filter(stream => stream.open.length > 0).map(stream => {
            const part = element('div', stream.name);
            paint(part, [stream.open]);
            return part;
        }));
    }

    paintTop() {
        const before = this.streams.reduce((sum, stream) => sum + stream.above, 0);
        this.top.textContent = before > 0 ? `${sizeText(before)} before this` : '';
    }
}

function measure(block) {
    block.size = block.element.textContent.length;
}
