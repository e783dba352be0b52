// In which order the streams of a log are read. Which line came first of two streams is not on record: one is shown
// whole, of the others the last lines, set apart at its end. What comes after that stands as it came.

/** Of a stream that is set apart, in bytes. */
const FEW = 4 * 1024;
/** So much of several streams at once has no order that is known. */
const AT_ONCE = 64 * 1024;

export class Turns {
    /** @param streams at least one */
    constructor(streams) {
        this.streams = streams;
        this.main = streams[0];
        /** Whether all is read that there is. */
        this.level = false;
        /** Whether the one that is shown whole was asked for. */
        this.chosen = false;
    }

    /** Anew, with the one shown whole that is asked for; else the first, but where that is few lines beside much. */
    async begin(asked = null) {
        const more = this.streams.find(one => one.size > FEW) ?? this.streams.find(one => one.size > 0);
        this.main = asked ?? more ?? this.streams[0];
        this.chosen = asked !== null;
        this.level = false;
        this.main.floor = 0;
        for (const stream of this.streams.filter(one => one !== this.main)) {
            await stream.startNearEnd(FEW);
            stream.floor = stream.first;
        }
    }

    /** Those that have more, the one that is shown whole first. */
    behind() {
        return [this.main, ...this.streams.filter(stream => stream !== this.main)].filter(stream => stream.behind > 0);
    }

    /** Those that are read now. */
    next() {
        const behind = this.behind();
        if (behind.length > 1 && behind.reduce((sum, stream) => sum + stream.behind, 0) > AT_ONCE) {
            this.level = false;
        }
        return this.level ? behind : behind.slice(0, 1);
    }

    /** After a reading. */
    settle() {
        this.level ||= this.behind().length === 0;
    }

    /** [stream, bytes] of those that have more above, as much of each as is its share. */
    above(most) {
        const all = this.streams.reduce((sum, stream) => sum + stream.above, 0);
        return [this.main, ...this.streams.filter(stream => stream !== this.main)].filter(stream => stream.above > 0)
            .map(stream => [stream, Math.min(stream.above, Math.ceil(most * stream.above / all))]);
    }

    /** The stream beside which what is read of this one is set apart; itself where it is not. */
    beside(stream) {
        return this.level ? stream : this.main;
    }
}
