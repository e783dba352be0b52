package dev.holdfast.output;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.holdfast.output.StreamFile.Chunk;
import dev.holdfast.runtime.OutputStore.Slice;
import java.io.ByteArrayOutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What restores the screen of a terminal for somebody who begins to watch: what was printed since the screen was last
 * cleared, and before it what had been told to the terminal until then. So his own terminal draws what it would have drawn
 * had he watched from the beginning.
 *
 * <p>Where that is more than {@link #MOST} bytes, the last so many are taken; then something drawn before may be missing.
 * What makes a terminal answer, ring, or reach for the clipboard is left out: it was asked once, and an answer now would be
 * typed into the program.
 *
 * <p>Reads all that is kept of the stream, some milliseconds a MiB, and holds what it answers in memory.
 */
final class ScreenReplay {
    static final int MOST = 1 << 20;

    /** If it is no more than that, the usual screen behind the other one is restored too. */
    private static final int BEHIND = 256 * 1024;

    private static final int PIECE = 256 * 1024;
    private static final byte ENQUIRY = 0x05;
    private static final byte BELL = 0x07;
    private static final byte SHIFT_OUT = 0x0E;
    private static final byte SHIFT_IN = 0x0F;

    private final StreamFile file;
    private final long end;
    private final TerminalState state = new TerminalState();
    private @Nullable Mark latest;
    /** Where the usual screen was last cleared; what is drawn from here on is all there is on it. */
    private @Nullable Mark cleared;
    /** The same of the other screen, since it is shown. */
    private @Nullable Mark alternateCleared;
    /** Where one of them was cleared with the cursor somewhere; it counts if that is put elsewhere before it is used. */
    private @Nullable Mark pending;
    /** What came right before, if that was an escape. */
    private @Nullable ControlSequence before;
    /** Where {@link #before} began. */
    private long beforeAt;

    private ScreenReplay(StreamFile file) {
        this.file = file;
        this.end = file.size();
    }

    /** A place in the stream, and what had been told to the terminal until there. */
    private record Mark(long offset, TerminalState state) {}

    /** @return {@code next} is where what is not in it begins; the bytes are not those of the stream from {@code start} on */
    static Slice of(StreamFile file) {
        ScreenReplay replay = new ScreenReplay(file);
        return replay.from(replay.begin());
    }

    private Mark begin() {
        long at = 0;
        while (at < end) {
            Chunk chunk = file.read(at, (int) Math.min(PIECE, end - at));
            if (chunk.skipped() != null) {
                latest = null;
                cleared = null;
                alternateCleared = null;
                pending = null;
            }
            if (chunk.bytes().length == 0) {
                break;
            }
            at = chunk.start() + scan(chunk);
        }
        Mark usual = cleared != null ? cleared : latest != null ? latest : new Mark(at, state);
        boolean whole = usual.equals(cleared) || usual.offset() == 0;
        return alternateCleared == null || (whole && end - usual.offset() <= BEHIND) ? usual : alternateCleared;
    }

    /** @return how many bytes of the chunk were looked at; the rest is the beginning of something */
    private int scan(Chunk chunk) {
        byte[] bytes = chunk.bytes();
        int at = Math.max(0, file.overhang(chunk.start(), bytes, chunk.skipped() != null));
        while (at < bytes.length) {
            if (latest == null && chunk.start() + at >= end - MOST && !Utf8.isContinuation(bytes[at])) {
                latest = new Mark(chunk.start() + at, state.copy());
            }
            int next = at + 1;
            if (bytes[at] == Escapes.ESC) {
                next = Escapes.end(bytes, at, bytes.length);
                if (next < 0) {
                    return at == 0 ? bytes.length : at;
                }
                take(bytes, at, next, chunk.start() + at);
            } else {
                takeCharacter(bytes[at]);
            }
            at = next;
        }
        return at;
    }

    private void takeCharacter(byte character) {
        before = null;
        switch (character) {
            case SHIFT_OUT -> state.shift(true);
            case SHIFT_IN -> state.shift(false);
            case BELL, ENQUIRY -> {}
            default -> pending = null;
        }
    }

    private void take(byte[] bytes, int from, int to, long offset) {
        if (offset < end - MOST) {
            state.take(bytes, from, to, offset); // what is drawn here is not sent
            return;
        }
        ControlSequence sequence = ControlSequence.of(bytes, from, to);
        boolean afterHome = before != null && before.isHome();
        boolean clears = clears(sequence, afterHome);
        if (clears) {
            pending = new Mark(afterHome ? beforeAt : offset, state.copy());
        } else if (!sequence.isPlacing() && !sequence.isIndifferent()) {
            pending = null;
        }
        boolean alternate = state.isAlternate();
        state.take(bytes, from, to, offset);
        if (alternate != state.isAlternate() && !clears) {
            pending = null;
        }
        if (!state.isAlternate()) {
            alternateCleared = null;
        }
        distrust(state.restoredFrom());
        if (sequence.isPlacing() || (clears && (afterHome || sequence.kind() == 'c'))) {
            settle();
        }
        before = sequence;
        beforeAt = offset;
    }

    /** @param savedAt where the cursor was saved that is back; who watches from later on knows it not */
    private void distrust(long savedAt) {
        if (savedAt < 0) {
            return;
        }
        pending = null;
        if (alternateCleared != null && alternateCleared.offset() > savedAt) {
            alternateCleared = null;
        }
        if (!state.isAlternate() && cleared != null && cleared.offset() > savedAt) {
            cleared = null;
        }
    }

    /** The cursor is in its place. */
    private void settle() {
        if (pending != null && state.isAlternate()) {
            alternateCleared = pending;
        } else if (pending != null) {
            cleared = pending;
        }
        pending = null;
    }

    /** Whether such an escape clears all of the screen that is shown after it. */
    private static boolean clears(ControlSequence sequence, boolean afterHome) {
        String text = sequence.text();
        return sequence.kind() == 'c'
                || (sequence.isControl('J')
                        && (text.equals("2") || (afterHome && (text.isEmpty() || text.equals("0")))))
                || (sequence.isControl('?', 'h') && sequence.numbers().contains(1049));
    }

    private Slice from(Mark mark) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(
                mark.offset() == 0 ? new byte[0] : mark.state().restored().getBytes(ISO_8859_1));
        long at = mark.offset();
        while (at < end) {
            Chunk chunk = file.read(at, (int) Math.min(MOST, end - at));
            if (chunk.bytes().length == 0) {
                break;
            }
            append(chunk.bytes(), out);
            at = chunk.next();
        }
        return new Slice(out.toByteArray(), mark.offset(), Math.max(at, mark.offset()), List.of());
    }

    /** Without what would make the terminal do more than draw. What is unfinished at the end goes on with what follows. */
    private static void append(byte[] bytes, ByteArrayOutputStream out) {
        int drawn = 0;
        for (int at = 0; at < bytes.length; ) {
            int next = at + 1;
            boolean leftOut = bytes[at] == BELL || bytes[at] == ENQUIRY;
            if (bytes[at] == Escapes.ESC) {
                next = Escapes.end(bytes, at, bytes.length);
                if (next < 0) {
                    break;
                }
                leftOut = Reactions.isCausedBy(ControlSequence.of(bytes, at, next));
            }
            if (leftOut) {
                out.write(bytes, drawn, at - drawn);
                drawn = next;
            }
            at = next;
        }
        out.write(bytes, drawn, bytes.length - drawn);
    }
}
