package dev.holdfast.runtime.wait;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.port.OutputStore.TextSlice;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Looks for a pattern in one stream as it grows, as text; a match may span what fits in the text kept of earlier reads,
 * 16,384 characters. A line that goes on is read once more, so that it is looked at as it stands: what a progress bar
 * showed before is not in front of what it shows now. Used by one thread at a time.
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
    /** Made when there is much to look through. */
    private @Nullable Predicate<String> sieve;

    /** Where in the text looking begins: what is before it only tells whether a line begins there. */
    private int from;

    /** Where in the text the last piece begins. */
    private int piece;

    private long pieceStart;
    private long offset;

    /** Where in the text the last line begins. */
    private int line;

    /** Where that line is read from once more. */
    private long lineFrom;

    /** @param next the offset after it */
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
        this.lineFrom = begin;
    }

    StreamName stream() {
        return stream;
    }

    /**
     * @param last whether nothing will follow
     * @return whether there was one
     */
    boolean read(boolean last) {
        TextSlice slice = outputs.readText(id, stream, lineFrom, READ_BYTES, last);
        if (slice.next() == offset) {
            slice = outputs.readText(id, stream, offset, READ_BYTES, last);
            if (slice.omitted().isEmpty()) { // no gap that the line ends before
                return passedOver(slice);
            }
        }
        if (offset == begin && begin > 0) {
            text.append(before());
            from = 1;
            line = 1;
        }
        text.setLength(line);
        if (!slice.omitted().isEmpty()) {
            text.setLength(0);
            from = 0;
        }
        pieceStart = slice.start();
        offset = slice.next();
        piece = text.length();
        text.append(slice.text());
        goOnWith(slice);
        return true;
    }

    /** Whether it is nothing to read, an escape that is more than what is read at once: the line goes on behind it. */
    private boolean passedOver(TextSlice slice) {
        if (slice.next() == offset || !slice.text().isEmpty()) {
            return false;
        }
        offset = slice.next();
        pieceStart = offset;
        piece = text.length();
        lineFrom = offset;
        line = piece;
        return true;
    }

    private void goOnWith(TextSlice slice) {
        lineFrom = slice.lineFrom();
        line = piece + slice.line();
        if (from == 1 && line == 1 && lineFrom > pieceStart) {
            text.setCharAt(0, '\n'); // what is before it is drawn over
        }
        if (offset - lineFrom > KEPT / 2) {
            lineFrom = offset; // else a long line is read over and over
            line = text.length();
        }
    }

    /** What is before the text; an end of line too where it is drawn over. */
    private char before() {
        byte[] bytes = outputs.read(id, stream, begin - 1, 3).bytes();
        boolean over = bytes.length == 3 && bytes[1] == '\r' && bytes[2] != '\r' && bytes[2] != '\n';
        return bytes.length == 0 || bytes[0] == '\n' || over ? '\n' : (char) Math.max(bytes[0], ' ');
    }

    /** The first line that matches in what was read; else what is too old to be looked at again is let go. */
    @Nullable
    Line find() {
        Matcher matcher = pattern.matcher(text);
        if (mayMatch() && matcher.find(from)) {
            return line(matcher.start(), matcher.end());
        }
        if (text.length() > KEPT) {
            line = Math.max(1, line - (text.length() - KEPT));
            text.delete(0, text.length() - KEPT);
            from = 1;
        }
        return null;
    }

    /** Of little text the pattern itself tells soon enough. */
    private boolean mayMatch() {
        if (text.length() > KEPT && sieve == null) {
            sieve = outputs.sieve(pattern);
        }
        return text.length() <= KEPT || sieve == null || sieve.test(text.toString());
    }

    private Line line(int matchStart, int matchEnd) {
        int end = endOfLine(matchStart, matchEnd);
        long next = offset;
        if (end < 0) {
            String stood = text.toString();
            if (read(false) && text.toString().startsWith(stood)) {
                end = endOfLine(matchStart, matchEnd);
                next = offset;
            } else {
                text.replace(0, text.length(), stood); // what it reads by now is not what matched
            }
        }
        next = end < 0 ? next : afterLines(newlines(text, piece, end + 1));
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

    private static int newlines(CharSequence text, int from, int to) {
        return (int)
                IntStream.range(from, to).filter(i -> text.charAt(i) == '\n').count();
    }

    /** The offset after so many lines of the text of the last piece; its bytes may have more of them, in a picture. */
    private long afterLines(int lines) {
        long low = pieceStart + lines;
        long high = offset;
        while (low < high) {
            long middle = (low + high) / 2;
            String some = outputs.readText(id, stream, pieceStart, (int) (middle - pieceStart), false)
                    .text();
            if (newlines(some, 0, some.length()) < lines) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Where the line begins that looking has come to, or the part of a long one that is not looked at again. */
    long lineFrom() {
        return lineFrom;
    }
}
