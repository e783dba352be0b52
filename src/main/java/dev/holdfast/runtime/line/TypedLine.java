package dev.holdfast.runtime.line;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The line that is being typed into a command, over any number of writes. In a terminal keys edit it
 * ({@link LineKeys}); in a pipe they are characters. A line that goes on behind a backslash counts with the next one.
 * Immutable.
 */
public final class TypedLine {
    public static final TypedLine EMPTY = new TypedLine("", new byte[0], "", "");

    /** More of one line is not kept. */
    private static final int MOST_BYTES = 100 * 1024 + 1;

    /** Characters; what is longer is cut. */
    public static final int LONGEST = MOST_BYTES - 1;

    private static final byte CTRL_D = 0x04;
    /** Accepts a line as Enter does, and fetches the next one of the history. */
    private static final byte CTRL_O = 0x0f;

    /** Lines that go on in the next one. */
    private final String held;

    private final byte[] open;
    private final String completed;
    private final String begun;

    private TypedLine(String held, byte[] open, String completed, String begun) {
        this.held = held;
        this.open = open;
        this.completed = completed;
        this.begun = begun;
    }

    /** The lines that the last write completed, each with its end; empty for none. */
    public String completed() {
        return completed;
    }

    /** What earlier writes completed, and a shell waits for the rest of: an open quote, a loop; empty for none. */
    public String begun() {
        return begun;
    }

    /** More than {@link #LONGEST} characters are not kept. */
    public TypedLine begun(String lines) {
        return new TypedLine(held, open, completed, lines.length() > LONGEST ? "" : lines);
    }

    /** After one more write. */
    public TypedLine with(byte[] bytes, boolean endOfInput, boolean terminal) {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        line.writeBytes(open);
        StringBuilder before = new StringBuilder(held);
        StringBuilder done = new StringBuilder();
        for (byte one : bytes) {
            if (one == '\n' || (terminal && (one == '\r' || one == CTRL_O))) {
                before.append(text(line, terminal)).append('\n');
                line.reset();
                if (!goesOn(before)) {
                    done.append(before);
                    before.setLength(0);
                }
            } else if (terminal && one == CTRL_D) {
                // A shell without line editing takes what stands there; the line may go on.
                done.append(before).append(text(line, true)).append('\n');
                line.write(one);
            } else if (one != 0 && line.size() < MOST_BYTES) {
                line.write(one);
            }
        }
        if (endOfInput && before.length() + line.size() > 0) {
            done.append(before).append(text(line, terminal)).append('\n');
            before.setLength(0);
            line.reset();
        }
        return new TypedLine(before.toString(), line.toByteArray(), done.toString(), begun);
    }

    private static String text(ByteArrayOutputStream line, boolean terminal) {
        String typed = line.toString(StandardCharsets.UTF_8);
        return terminal ? LineKeys.edited(typed) : typed;
    }

    /** Whether a backslash stands before its last end, and no other one before that. */
    private static boolean goesOn(CharSequence lines) {
        int at = lines.length() - 2;
        int backslashes = 0;
        while (at >= 0 && lines.charAt(at) == '\\') {
            backslashes++;
            at--;
        }
        return backslashes % 2 == 1 && lines.length() < MOST_BYTES;
    }
}
