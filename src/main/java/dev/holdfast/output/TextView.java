package dev.holdfast.output;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/**
 * A command's bytes as the text a person would read: UTF-8 with U+FFFD for bad bytes, terminal escapes and control
 * characters removed (all but newline and tab), and each line as it last stood after carriage returns, backspaces and
 * erasures. A colour costs nothing, a progress bar one line. Pure, linear in the bytes; more characters than bytes only
 * where a tab is overwritten in its middle, or moved.
 *
 * <p>A stream is read in chunks without keeping state between them: what cannot be told yet, an unfinished character or
 * escape at the end, is left for the next chunk. An unfinished line is delivered, for it may be a prompt; the next
 * chunk continues it, and a carriage return there cannot take back what was delivered before it.
 */
public final class TextView {
    private static final int MAX_PARAMETER = 9999;

    private final byte[] bytes;
    private final Line line = new Line();
    private final StringBuilder text;
    /** Behind the last end of a line, in the bytes; where there was none, where the first line begins. */
    private int linesEnd;
    /** The same in the text. */
    private int linesLength;
    /** Behind where the cursor last came to the beginning of a line. */
    private int segment;
    /** From there on a line reads as it last stood: what is before is overwritten. */
    private int overwritten;

    private TextView(byte[] bytes, int capacity) {
        this.bytes = bytes;
        this.text = new StringBuilder(capacity);
    }

    /**
     * @param end the offset after the last byte that the text stands for
     * @param line where in the text its last line begins
     * @param lineFrom the offset from where on the bytes alone tell how that line stands
     */
    public record Rendered(String text, int end, int line, int lineFrom) {}

    /**
     * @param from inclusive, at the beginning of a character
     * @param to exclusive
     * @param last whether nothing follows: an unfinished character becomes U+FFFD, an unfinished escape is dropped
     */
    public static Rendered render(byte[] bytes, int from, int to, boolean last) {
        return new TextView(bytes, to - from).rendered(from, to, last);
    }

    /**
     * The same up to the last end of a line, if there is one: none within an escape is. Else nothing of what a line
     * overwrites: it is read anew from there on.
     */
    static Rendered renderLines(byte[] bytes, int from, int to, boolean last) {
        Rendered all = render(bytes, from, to, last);
        int next = all.lineFrom();
        return next == from ? all : new Rendered(all.text().substring(0, all.line()), next, all.line(), next);
    }

    private Rendered rendered(int from, int to, boolean last) {
        int at = from;
        segment = from;
        linesEnd = from;
        while ((at = takePlain(takeLines(at, to), to)) < to) {
            int end = unit(bytes, at, to, last);
            if (end < 0) {
                break;
            }
            take(at, end);
            at = end;
        }
        line.flushTo(text);
        return new Rendered(text.toString(), at, linesLength, Math.max(linesEnd, overwritten));
    }

    private void endLine(int end) {
        linesEnd = end;
        linesLength = text.length();
    }

    /**
     * The offset after the character or escape that begins at {@code from}; negative when it is unfinished at
     * {@code to} and not {@code last}.
     */
    static int unit(byte[] bytes, int from, int to, boolean last) {
        byte b = bytes[from];
        if (b >= 0 && b != Escapes.ESC) {
            return from + 1;
        }
        int end = b == Escapes.ESC ? Escapes.end(bytes, from, to) : character(bytes, from, to);
        return end < 0 && last ? Escapes.givenUp(bytes, from, to) : end;
    }

    private static int character(byte[] bytes, int from, int to) {
        int decoded = Utf8.decode(bytes, from, to);
        return decoded == Utf8.UNFINISHED ? -1 : from + Utf8.length(decoded);
    }

    /** Nearly all output: lines of printable ASCII and tabs, which stand as they are. */
    private int takeLines(int from, int to) {
        if (!line.isEmpty()) {
            return from;
        }
        int end = from;
        for (int at = from; at < to && (isPrintable(bytes[at]) || bytes[at] == '\n' || bytes[at] == '\t'); at++) {
            if (bytes[at] == '\n') {
                end = at + 1;
            }
        }
        if (end > from) {
            text.append(new String(bytes, from, end - from, ISO_8859_1));
            endLine(end);
        }
        return end;
    }

    private int takePlain(int from, int to) {
        int at = from;
        while (at < to && isPrintable(bytes[at])) {
            line.put(bytes[at++]);
        }
        return at;
    }

    private static boolean isPrintable(byte b) {
        return b >= 0x20 && b < 0x7F;
    }

    private void take(int at, int end) {
        if (bytes[at] < 0) {
            takeCharacter(at, end);
        } else {
            takeControl(bytes[at], at, end);
        }
    }

    private void takeCharacter(int at, int end) {
        int decoded = Utf8.decode(bytes, at, end);
        int codePoint = decoded == Utf8.UNFINISHED ? 0xFFFD : Utf8.codePoint(decoded);
        if (codePoint > 0x9F) {
            line.put(codePoint);
        }
    }

    private void takeControl(byte control, int at, int end) {
        boolean moved = control == '\r' || !line.isAtStart();
        switch (control) {
            case '\n' -> {
                line.flushTo(text);
                text.append('\n');
                endLine(end);
            }
            case '\t' -> line.tab();
            case '\r' -> line.moveTo(0);
            case '\b' -> line.moveBy(-1);
            case Escapes.ESC -> takeEscape(at, end);
            default -> {
                // Bells, shifts, NUL, DEL: nothing to read.
            }
        }
        if (moved && line.isAtStart()) {
            overwritten = line.startOver() ? segment : overwritten;
            segment = end;
        }
    }

    private void takeEscape(int at, int end) {
        if (end - at == 2 && bytes[at + 1] == '7') {
            line.save();
        } else if (end - at == 2 && bytes[at + 1] == '8') {
            line.restore();
        }
        if (end - at < 3 || bytes[at + 1] != '[' || bytes[end - 1] < 0x40) {
            return;
        }
        int parameter = 0;
        int i = at + 2;
        while (bytes[i] >= '0' && bytes[i] <= '9') {
            parameter = Math.min(parameter * 10 + bytes[i++] - '0', MAX_PARAMETER);
        }
        boolean plain = i == end - 1 || bytes[i] == ';';
        if (plain) {
            line.apply(bytes[end - 1], parameter);
        }
    }
}
