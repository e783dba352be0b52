package dev.holdfast.keeper;

import dev.holdfast.keeper.tty.Tty;
import dev.holdfast.keeper.tty.TtyEvents;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Moves what a terminal prints into its file, and types what waits, on the terminal's thread. A file that cannot be
 * written (a full disk) holds the terminal up, as a full terminal does, and loses nothing: it is tried again. One that
 * has grown to the limit of this process has no room ever: who prints is told so, and what is there when the leader has
 * ended is dropped.
 */
final class Pump {
    /** How long after the leader's end others may go on printing before that end is reported. */
    private static final long LAST_WORDS_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long REOPENED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long DISK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int BUFFER = 32 * 1024;
    /** A read of this many bytes means that more may be there already. */
    private static final int LARGE = 2048;

    private final Terminal terminal;
    private final Tty tty;
    private final FileChannel file;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER).flip();
    private boolean stored = true;
    private boolean hungUp;
    private boolean leaderEnded;
    private boolean reported;
    private long leaderEndedAt;

    Pump(Terminal terminal, Tty tty, FileChannel file) {
        this.terminal = terminal;
        this.tty = tty;
        this.file = file;
    }

    /** Until the leader has ended and nobody has the terminal open. {@code onEnd} runs when its output is kept. */
    void run(Runnable onEnd) {
        while (!(leaderEnded && hungUp && stored)) {
            try {
                pump(onEnd);
            } catch (OutOfMemoryError full) { // of others' doing: the terminal goes on
                stored = false; // so it is not asked for more at once
            }
        }
    }

    private void pump(Runnable onEnd) {
        List<Drain> drains = terminal.drains();
        long now = System.nanoTime();
        long patience = Math.min(terminal.type(tty, now), patience(drains, now));
        boolean watched = stored && !hungUp;
        boolean typing = !leaderEnded && terminal.wantsToType(); // then it would not wait
        TtyEvents events = tty.await(watched, typing, millis(patience));
        boolean knewOfEnd = leaderEnded;
        boolean readable = watched && events.readable();
        if (readable) {
            hungUp = !read();
        }
        stored = store();
        boolean quiet = hungUp || (watched && !readable);
        follow(events.leaderEnded(), watched);
        settle(drains, quiet);
        if (leaderEnded && !reported && ((stored && quiet && knewOfEnd) || late())) {
            reported = true;
            onEnd.run();
        }
    }

    private void follow(boolean leaderHasEnded, boolean watched) {
        if (leaderHasEnded && !leaderEnded) {
            leaderEnded = true;
            leaderEndedAt = System.nanoTime();
            hungUp = false; // what it wrote last may still be there
        } else if (hungUp && !watched && !leaderEnded) {
            hungUp = false; // the leader can open its terminal again
        }
    }

    private boolean late() {
        return System.nanoTime() - leaderEndedAt > LAST_WORDS_NANOS;
    }

    /** How long nothing has to be looked at, unless something happens. */
    private long patience(List<Drain> drains, long now) {
        long patience = Long.MAX_VALUE;
        if (!stored) {
            patience = DISK_NANOS;
            for (Drain drain : drains) {
                patience = Math.min(patience, Math.max(0, drain.deadlineNanos() - now));
            }
        } else if (!drains.isEmpty() || (leaderEnded && !reported)) {
            patience = 0;
        } else if (hungUp) {
            patience = REOPENED_NANOS;
        }
        return patience;
    }

    /** For poll: -1 without end, and no busy loop for parts of a millisecond. */
    private static int millis(long nanos) {
        if (nanos == Long.MAX_VALUE) {
            return -1;
        }
        return (int) Math.min(Integer.MAX_VALUE, (nanos + 999_999) / 1_000_000);
    }

    /** Takes what is there, as far as the buffer goes; false when nobody has the terminal open. */
    private boolean read() {
        buffer.clear();
        try {
            int count;
            do {
                count = tty.read(buffer);
            } while (count >= LARGE && buffer.hasRemaining());
            return count >= 0;
        } finally {
            buffer.flip();
        }
    }

    private boolean store() {
        try {
            while (buffer.hasRemaining()) {
                ByteBuffer written = buffer.duplicate(); // before: what is in the file is always counted
                file.write(buffer);
                terminal.printed(written.limit(buffer.position()));
            }
            return true;
        } catch (IOException full) {
            if (stored) {
                Log.line("output cannot be kept, its terminal waits: " + full.getMessage());
            }
            return hasOutgrown() && giveUp();
        }
    }

    private boolean hasOutgrown() {
        try {
            return file.size() >= Tty.fileSizeLimit();
        } catch (IOException unknown) {
            return false;
        }
    }

    /** @return whether nothing is left to be written */
    private boolean giveUp() {
        if (leaderEnded) {
            buffer.position(buffer.limit());
        } else {
            tty.tellOutgrown();
        }
        return leaderEnded;
    }

    private void settle(List<Drain> drains, boolean quiet) {
        long now = System.nanoTime();
        List<Drain> done = stored && quiet
                ? drains
                : drains.stream()
                        .filter(drain -> drain.deadlineNanos() - now <= 0)
                        .toList();
        terminal.drained(done, stored);
    }
}
