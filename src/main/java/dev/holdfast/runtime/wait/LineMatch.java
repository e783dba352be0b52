package dev.holdfast.runtime.wait;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.port.OutputStore.Slice;
import dev.holdfast.runtime.port.OutputStore.TextSlice;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import org.jspecify.annotations.Nullable;

/**
 * Looks for a pattern in one stream as it grows, as text; a match may span what fits in the text kept of earlier reads,
 * 16,384 characters. Used by one thread at a time.
 */
final class LineMatch {
    static final int MOST_TEXT = 2000;
    private static final int KEPT = 16 * 1024;
    private static final int READ_BYTES = 64 * 1024;
    /** Of a line that is cut, so much is shown before the match. */
    private static final int BEFORE_MATCH = 500;

    private final Pattern pattern;
    private final OutputStore outputs;
    private final TaskId id;
    private final StreamName stream;
    private final long begin;
    private final StringBuilder text = new StringBuilder();
    /** Where in the text looking begins: what is before it only tells whether a line begins there. */
    private int from;

    private long pieceStart;
    private long offset;

    /**
     * A line that matches.
     *
     * @param next the offset after it
     */
    record Line(String text, long next) {}

    /** @param begin the offset where looking begins */
    LineMatch(Pattern pattern, OutputStore outputs, TaskId id, StreamName stream, long begin) {
        this.pattern = pattern;
        this.outputs = outputs;
        this.id = id;
        this.stream = stream;
        this.begin = begin;
        this.pieceStart = begin;
        this.offset = begin;
    }

    StreamName stream() {
        return stream;
    }

    /**
     * Reads the next piece.
     *
     * @param last whether nothing will follow
     * @return whether there was one
     */
    boolean read(boolean last) {
        TextSlice slice = outputs.readText(id, stream, offset, READ_BYTES, last);
        if (slice.next() == offset) {
            return false;
        }
        if (offset == begin && begin > 0) {
            text.append(before());
            from = 1;
        }
        if (!slice.omitted().isEmpty()) {
            text.setLength(0);
            from = 0;
        }
        pieceStart = slice.start();
        offset = slice.next();
        text.append(slice.text());
        return true;
    }

    private char before() {
        byte[] byteBefore = outputs.read(id, stream, begin - 1, 1).bytes();
        return byteBefore.length == 0 || byteBefore[0] == '\n' ? '\n' : (char) Math.max(byteBefore[0], ' ');
    }

    /** The first line that matches in what was read; else what is too old to be looked at again is let go. */
    @Nullable
    Line find() {
        Matcher matcher = pattern.matcher(text);
        if (matcher.find(from)) {
            return line(matcher.start(), matcher.end());
        }
        if (text.length() > KEPT) {
            text.delete(0, text.length() - KEPT);
            from = 1;
        }
        return null;
    }

    private Line line(int matchStart, int matchEnd) {
        int end = endOfLine(matchStart, matchEnd);
        if (end < 0 && read(false)) {
            end = endOfLine(matchStart, matchEnd);
        }
        long next = end < 0 ? offset : afterNewline(pieceStart, newlines(end + 1));
        int lineEnd = end < 0 ? text.length() : end;
        int lineStart = Math.max(from, text.lastIndexOf("\n", matchStart - 1) + 1);
        if (lineEnd - lineStart > MOST_TEXT) {
            lineStart = Math.max(lineStart, Math.min(matchStart - BEFORE_MATCH, lineEnd - MOST_TEXT));
            lineEnd = lineStart + MOST_TEXT;
        }
        return new Line(text.substring(lineStart, lineEnd), next);
    }

    /** Negative while the line goes on. */
    private int endOfLine(int matchStart, int matchEnd) {
        boolean withEnd = matchEnd > matchStart && text.charAt(matchEnd - 1) == '\n';
        return text.indexOf("\n", withEnd ? matchEnd - 1 : matchEnd);
    }

    private int newlines(int start) {
        return (int) text.chars().skip(start).filter(c -> c == '\n').count();
    }

    /** Where the line begins that looking has come to. */
    long lineStart() {
        return offset == begin ? begin : afterNewline(Math.max(begin, offset - KEPT), 0);
    }

    /**
     * The offset after the newline that this many others follow, of those that were read from {@code start} on; else
     * that.
     */
    private long afterNewline(long start, int others) {
        Slice slice = outputs.read(id, stream, start, (int) (offset - start));
        byte[] bytes = slice.bytes();
        if (slice.next() != offset) {
            return offset; // a part of it was dropped meanwhile
        }
        int left = others;
        for (int i = bytes.length - 1; i >= 0; i--) {
            if (bytes[i] == '\n' && left-- == 0) {
                return slice.start() + i + 1;
            }
        }
        return slice.start();
    }
}
