package dev.holdfast.output.search;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.holdfast.output.StreamFile;
import dev.holdfast.output.StreamFile.Chunk;
import dev.holdfast.runtime.port.OutputStore.Found;
import dev.holdfast.runtime.port.OutputStore.Gap;
import dev.holdfast.runtime.port.OutputStore.Match;
import dev.holdfast.runtime.port.OutputStore.Wanted;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * One search of one stream, as long as it was when the search began. It holds one block of bytes, the automaton of the
 * pattern and what it found. A line that may match by its bytes is made text, as in a preview, and matched; all others
 * are passed over as bytes. For one thread, and once.
 */
public final class Search {
    /** Of a longer line pieces are looked at. */
    static final int BLOCK = 512 * 1024;

    /** The pieces of a long line overlap by so much. */
    private static final int OVERLAP = 16 * 1024;

    /** So many bytes are searched at once from the end, less than a block, since they begin where a line does. */
    private static final int STRETCH = BLOCK - 32 * 1024;

    /** An answer that has become so large takes no more matches. */
    private static final long MAX_ANSWER_CHARS = 4 << 20;

    /** Where a gap was passed, nobody knows how many lines were in it. Less than any number that is known. */
    private static final long UNKNOWN = Long.MIN_VALUE / 4;

    private final StreamFile file;
    private final Wanted wanted;
    private final boolean last;
    private final BooleanSupplier abandoned;
    private final long size;
    private final Candidates candidates;
    private final Beginnings beginnings;
    private final byte[] block = new byte[BLOCK];
    private final Deque<Hit> hits = new ArrayDeque<>();
    private long line;
    private long lineStart;
    private long searched;

    /** @param last whether nothing will follow the end of the stream */
    public Search(StreamFile file, Wanted wanted, boolean last, BooleanSupplier abandoned) {
        this.file = file;
        this.wanted = wanted;
        this.last = last;
        this.abandoned = abandoned;
        this.size = file.size();
        this.beginnings = new Beginnings(file, last);
        this.candidates = new Candidates(wanted.pattern().pattern());
    }

    /**
     * A line that matches.
     *
     * @param end after it, or after the piece of it
     * @param line how many are before it; negative where that is unknown
     */
    record Hit(long offset, long end, long line, String text) {
        Hit moved(long lines) {
            return new Hit(offset, end, line + lines, text);
        }
    }

    public Found run() {
        List<Hit> found = wanted.fromEnd() ? backward() : forward();
        List<Hit> shown = found.subList(0, Math.min(found.size(), wanted.max()));
        Surroundings around = new Surroundings(file, block, wanted.context(), beginnings);
        List<Match> matches = new ArrayList<>();
        long chars = 0;
        for (Hit hit : shown) {
            if (chars > MAX_ANSWER_CHARS) {
                break;
            }
            Match match = new Match(
                    file.stream(),
                    hit.line() < 0 ? null : hit.line() + 1,
                    hit.offset(),
                    hit.end(),
                    hit.text(),
                    around.before(hit.offset()),
                    around.after(hit.end()));
            matches.add(match);
            chars += chars(match);
        }
        return new Found(matches, found.size() > matches.size(), searched);
    }

    private static long chars(Match match) {
        Stream<String> around = Stream.concat(match.before().stream(), match.after().stream());
        return match.text().length() + around.mapToLong(String::length).sum();
    }

    private List<Hit> forward() {
        long from = Math.min(wanted.from(), size);
        long start = lineStart(from, leastStart(from));
        line = newlinesBefore(start);
        stretch(start, size);
        return List.copyOf(hits);
    }

    /**
     * A stretch after the other from the end. Until it is known how many lines there are before, a line has the number
     * of those that begin after it, negated.
     */
    private List<Hit> backward() {
        List<Hit> found = new ArrayList<>();
        long counted = 0;
        long end = size;
        while (end > 0 && found.size() <= wanted.max() && !abandoned.getAsBoolean()) {
            long start = stretchStart(end);
            if (start == end) {
                end = gapBefore(end);
                found.replaceAll(hit -> hit.moved(UNKNOWN));
                counted = 0;
                continue;
            }
            line = 0;
            hits.clear();
            stretch(start, end);
            counted += line;
            for (Hit hit : List.copyOf(hits).reversed()) {
                found.add(hit.moved(-counted));
            }
            end = start;
        }
        long all = found.isEmpty() ? 0 : newlinesBefore(end) + counted;
        found.replaceAll(hit -> hit.moved(all));
        return found;
    }

    /** Where a line begins, about so far before {@code end} as fits a block; {@code end} when a gap ends there. */
    private long stretchStart(long end) {
        long least = leastStart(end);
        return lineStart(Math.max(least, end - STRETCH), least);
    }

    /** Before which there is nothing, or a gap. */
    private long leastStart(long end) {
        Gap gap = file.gap(size);
        return gap == null || gap.from() >= end ? 0 : Math.min(gap.to(), end);
    }

    /** Of the line that {@code at} is in. */
    private long lineStart(long at, long least) {
        long start = at;
        while (start > least) {
            int back = (int) Math.min(start - least, OVERLAP);
            Chunk chunk = file.read(start - back, back, block);
            int newline = Lines.start(block, 0, chunk.length());
            if (chunk.start() != start - back || newline > 0) {
                return chunk.start() == start - back ? chunk.start() + newline : start;
            }
            start -= back;
        }
        return start;
    }

    private long gapBefore(long end) {
        Gap gap = file.gap(size);
        return gap == null || gap.from() >= end ? 0 : gap.from();
    }

    private long newlinesBefore(long end) {
        long newlines = 0;
        long at = 0;
        while (at < end && !abandoned.getAsBoolean()) {
            Chunk chunk = file.read(at, (int) Math.min(BLOCK, end - at), block);
            if (chunk.start() != at || chunk.length() == 0) {
                return UNKNOWN;
            }
            newlines += LiteralSkip.newlines(block, chunk.length());
            at = chunk.next();
        }
        return newlines;
    }

    /** Searches from where a line, or what is kept of it, begins. */
    private void stretch(long from, long to) {
        long at = from;
        boolean begins = true;
        lineStart = from;
        beginnings.startAt(0);
        while (at < to && !full() && !abandoned.getAsBoolean()) {
            Chunk chunk = file.read(at, (int) Math.min(BLOCK, to - at), block);
            if (chunk.length() == 0 || chunk.start() >= to) {
                return;
            }
            if (chunk.start() != at) {
                line = UNKNOWN;
                begins = true;
                lineStart = chunk.start();
            }
            int length = (int) Math.min(chunk.length(), to - chunk.start());
            boolean ends = chunk.beforeGap() || chunk.atEnd() || chunk.start() + length == to;
            int whole = ends ? length : Lines.start(block, 0, length);
            int taken = whole > 0 ? lines(chunk.start(), whole, begins, true) : piece(chunk.start(), length, begins);
            searched += taken;
            at = chunk.start() + taken;
            begins = whole > 0;
            lineStart = begins ? at : lineStart;
        }
    }

    /** Looks at a part of a long line; the next one begins where this one's overlap does. */
    private int piece(long start, int length, boolean begins) {
        lines(start, length, begins, false);
        return length - OVERLAP;
    }

    /** How many bytes of the block were looked at: all, unless enough was found, or nobody waits any more. */
    private int lines(long start, int to, boolean firstBegins, boolean ends) {
        int at = 0;
        boolean begins = firstBegins;
        while (at < to && !full() && !abandoned.getAsBoolean()) {
            int found = candidates.next(block, at, to, begins, ends);
            line += candidates.takeNewlines();
            if (found == to) {
                return to;
            }
            int lineFrom = Lines.start(block, at, found);
            int lineTo = Lines.end(block, found, to);
            begins |= lineFrom > at;
            Piece piece = new Piece(lineFrom, lineTo, begins, ends || lineTo < to || block[lineTo - 1] == '\n');
            look(start, piece);
            line += block[lineTo - 1] == '\n' ? 1 : 0;
            at = lineTo;
            begins = true;
        }
        return at;
    }

    /** Of the block: a line, or a part of a long one that need not begin where that does, or end. */
    private record Piece(int from, int to, boolean begins, boolean ends) {}

    private void look(long start, Piece piece) {
        long offset = piece.begins() && piece.from() > 0 ? start + piece.from() : lineStart;
        if (!hits.isEmpty() && hits.getLast().offset() == offset) {
            return;
        }
        long begin = beginnings.of(block, start, piece.from(), piece.to()) - start;
        if (begin >= piece.to()) {
            return;
        }
        boolean closed = piece.ends() && (last || start + piece.to() < size);
        int from = Math.max((int) begin, piece.from());
        String text = Lines.text(block, from, piece.to(), closed);
        boolean begins = piece.begins() || Lines.isDrawnOver(block, from, piece.to());
        int match = candidates.admits(text) ? match(text, begins, piece.ends()) : -1;
        if (match >= 0) {
            hits.addLast(new Hit(offset, start + piece.to(), line, Excerpt.around(text, match)));
            if (wanted.fromEnd() && hits.size() > wanted.max() + 1) {
                hits.removeFirst();
            }
        }
    }

    /**
     * Where the first match begins, or negative. A piece has no line's beginning and end but where its line has them.
     */
    private int match(String text, boolean begins, boolean ends) {
        Pattern pattern = wanted.pattern();
        Matcher matcher = pattern.matcher(text);
        boolean found = begins ? matcher.find() : text.length() > 1 && matcher.find(1);
        if (!found) {
            return -1;
        }
        int start = matcher.start();
        if (ends || matcher.end() < text.length()) {
            return start;
        }
        Matcher goesOn = pattern.matcher(text + " ");
        return goesOn.find(start) && goesOn.start() == start ? start : -1;
    }

    private boolean full() {
        return !wanted.fromEnd() && hits.size() > wanted.max();
    }
}
