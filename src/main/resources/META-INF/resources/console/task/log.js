// The log of a task: reads a part of its output around what is looked at, never the whole. It follows at the end, and
// what is looked at stays where it is.
import {Refused} from '../api.js';
import {Part} from './part.js';
import {Stream} from './stream.js';
import {Turns} from './turns.js';

const CHUNK = 32 * 1024;
const LEAP = 512 * 1024;
/** Until there is something to see: what is written over shows nothing. */
const MOST_READS = 64;
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
        this.part = new Part(box);
        this.turns = null;
        /** What is still to be gone to. */
        this.going = null;
        this.#remember();
        this.onScroll = () => this.#scrolled();
        box.addEventListener('scroll', this.onScroll, {passive: true});
        this.observer = new ResizeObserver(() => this.#settle());
        this.observer.observe(box);
        this.work = Promise.resolve();
    }

    get streams() {
        return this.part.streams;
    }

    close() {
        this.closed = true;
        this.box.removeEventListener('scroll', this.onScroll);
        this.observer.disconnect();
    }

    /** Shows the end of these streams, {stdout: bytes, stderr: bytes}. */
    show(sizes) {
        return this.#next(() => {
            this.part.streams = Object.entries(sizes).map(([name, size]) => new Stream(this.id, name, size));
            this.turns = new Turns(this.streams);
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
        this.going = null;
        this.following = true;
        this.fresh = false;
        this.tell();
        const far = this.#behind() > LEAP || this.turns?.chosen;
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
        return this.#go(async () => {
            this.stay();
            await this.turns.begin();
            await this.turns.main.reach(0);
            this.part.clear();
            await this.#fill();
            this.#scrollTo(0);
        });
    }

    /** Shows the line that begins there, marked. */
    jump(name, offset) {
        return this.#go(async () => {
            this.stay();
            const stream = this.streams.find(one => one.name === name);
            await this.turns.begin(stream);
            await stream.reach(offset);
            this.part.clear();
            await this.#later(stream);
            const line = this.part.markFirst();
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
            if (this.following && (this.#behind() > LEAP || this.part.empty)) {
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

    /** Goes to a place; once the server is back where it was away, unless one goes elsewhere meanwhile. */
    #go(step) {
        this.going = step;
        return this.#next(async () => {
            if (this.going === step) {
                await step();
                this.going = this.going === step ? null : this.going;
            }
        });
    }

    #next(step) {
        const run = async () => {
            if (this.closed) {
                return;
            }
            try {
                await step();
                if (!this.going) { // else a place could not be gone to yet, and this step may have asked for nothing
                    this.#trouble(null);
                }
            } catch (failure) {
                this.#trouble(failure);
                if (failure instanceof Refused) {
                    this.going = null;
                } else {
                    setTimeout(() => this.going ? this.#go(this.going) : this.pump(), RETRY_MS);
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

    /** What was shown stands until what takes its place is there. */
    async #reset() {
        await this.turns.begin();
        await this.turns.main.startNearEnd(CHUNK);
        const ends = [];
        for (const stream of this.turns.behind()) {
            ends.push([stream, await stream.later(CHUNK)]);
        }
        this.part.clear();
        ends.forEach(([stream, page]) => this.part.append(stream, page, this.turns.main));
        this.turns.settle();
        this.#settle();
        await this.#fillAbove();
        this.#settle();
    }

    /** Later output, while it is followed or looked at: what comes while one watches stands as it came. */
    async #fill() {
        for (let reads = 0; reads < MOST_READS; reads++) {
            const behind = this.turns.next();
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
        this.turns.settle();
        this.#settle();
    }

    #below() {
        return this.box.scrollHeight - this.box.scrollTop - this.box.clientHeight;
    }

    async #fillAbove() {
        for (let reads = 0; reads < MOST_READS && this.box.scrollTop < this.box.clientHeight && this.#hasEarlier(); reads++) {
            await this.#earlier();
        }
    }

    #hasEarlier() {
        return this.streams.some(stream => stream.above > 0);
    }

    async #later(stream) {
        this.part.append(stream, await stream.later(CHUNK), this.turns.beside(stream));
        this.#trimTop();
        if (this.following) {
            this.#toEnd();
        }
    }

    async #earlier() {
        const pages = [];
        for (const [stream, share] of this.turns.above(CHUNK)) {
            pages.push([stream, await stream.earlier(share)]);
        }
        this.#keepingPlace(() => this.part.prepend(pages, this.turns.main));
        if (!this.following && this.part.trimEnd()) {
            this.turns.level = false;
        }
    }

    #keepingPlace(change) {
        const fromEnd = this.box.scrollHeight - this.box.scrollTop;
        change();
        this.#scrollTo(this.following ? this.box.scrollHeight : this.box.scrollHeight - fromEnd);
    }

    #trimTop() {
        const fromEnd = this.box.scrollHeight - this.box.scrollTop;
        if (this.part.trimTop()) {
            this.#scrollTo(this.box.scrollHeight - fromEnd);
        }
    }

    #settle() {
        this.part.paintTop();
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
        // Who is at the end of what is shown was not moved up by a person, but by a frame that grew.
        const atEnd = this.#below() <= AT_END;
        if (moved > 0 && atEnd && this.#behind() === 0 && !this.following) {
            this.going = null;
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
