package dev.holdfast.keeper.tty;

import java.util.function.IntConsumer;

/** Bytes on their way into a terminal. Used under the terminal's lock. */
public final class Input {
    private static final byte[] NONE = {};

    private final byte[] bytes;
    private final boolean endOfInput;
    private final long deadlineNanos;
    private final IntConsumer answer;
    private int taken;
    private byte[] ending = NONE;
    private int endingTaken;
    private boolean endingKnown;

    /**
     * @param deadlineNanos by {@link System#nanoTime()}, when what was not taken is given up
     * @param answer gets the number of bytes taken, once
     */
    public Input(byte[] bytes, boolean endOfInput, long deadlineNanos, IntConsumer answer) {
        this.bytes = bytes;
        this.endOfInput = endOfInput;
        this.deadlineNanos = deadlineNanos;
        this.answer = answer;
    }

    int waiting() {
        return bytes.length - taken;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /** Gives the terminal what it takes now; true when nothing is left. */
    boolean advance(Tty tty, LineState line) {
        while (taken < bytes.length) {
            int count = tty.write(bytes, taken, bytes.length - taken);
            if (count == 0) {
                return false;
            }
            taken += count;
            line.typed(tty.termios(), bytes[taken - 1]);
        }
        return !endOfInput || end(tty, line);
    }

    private boolean end(Tty tty, LineState line) {
        if (!endingKnown) {
            ending = line.ending(tty.termios());
            endingKnown = true;
        }
        while (endingTaken < ending.length) {
            int count = tty.write(ending, endingTaken, ending.length - endingTaken);
            if (count == 0) {
                return false;
            }
            endingTaken += count;
        }
        line.ended();
        return true;
    }

    public void answer() {
        answer.accept(taken);
    }
}
