package dev.holdfast.output.search;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lines in which a pattern may match: those without the literals of which every match holds one are passed over,
 * the others told by their bytes. What is left is few and is for the pattern itself. For one thread.
 */
public final class Candidates {
    private final LineFilter filter;
    private final boolean spansLines;
    private final List<Literal> literals;
    private @Nullable LiteralSkip skip;

    /** @param regex in RE2's syntax; one that cannot be told by bytes lets every line pass */
    public Candidates(String regex) {
        Expression expression = ExpressionReader.read(regex).orElse(Expression.nothing());
        this.literals = expression.literals();
        this.spansLines = expression.spansLines();
        this.filter = new LineFilter(expression);
    }

    /** Whether a line can match by its text. */
    boolean admits(String text) {
        return literals.isEmpty() || literals.stream().anyMatch(literal -> literal.mayBeIn(text));
    }

    /**
     * Whether the pattern may match in a text of many lines, also over their ends.
     *
     * @param text not empty
     */
    public boolean mayBeIn(String text) {
        return admits(text) && (spansLines || mayBeIn(text.getBytes(UTF_8)));
    }

    /** Behind the last end of a line stands an empty one. */
    private boolean mayBeIn(byte[] bytes) {
        return next(bytes, 0, bytes.length, true, false) < bytes.length || filter.matchesAtEnd();
    }

    /** The newlines before the line of the last candidate, or before where it ended, since this was asked last. */
    long takeNewlines() {
        return filter.takeNewlines() + (skip == null ? 0 : skip.takeNewlines());
    }

    /**
     * The offset of a byte of the first line that may match, or {@code to}. The last line ends at {@code to}.
     *
     * @param begins whether a line begins at {@code from}
     * @param ends whether one ends at {@code to}, also without a newline
     */
    int next(byte[] bytes, int from, int to, boolean begins, boolean ends) {
        if (skip == null && !literals.isEmpty()) {
            skip = seldom(new BytePairs(bytes, from, to));
        }
        int found = skip == null ? filter.next(bytes, from, to, begins) : next(skip, bytes, from, to, begins);
        boolean open = found == to && from < to && bytes[to - 1] != '\n';
        return open && ends && filter.matchesAtEnd() ? to - 1 : found;
    }

    /** What is seldom where the text begins is taken to be seldom in all of it. */
    private LiteralSkip seldom(BytePairs counted) {
        return new LiteralSkip(
                literals.stream().map(literal -> literal.rarest(counted)).toList());
    }

    private int next(LiteralSkip skip, byte[] bytes, int from, int to, boolean begins) {
        int at = from;
        while (at < to) {
            int place = skip.next(bytes, at, to);
            int start = Lines.start(bytes, at, Math.min(place, to));
            int end = Lines.end(bytes, Math.min(place + LiteralSkip.WORD, to) - 1, to);
            int found = filter.next(bytes, start, end, begins || start > from);
            if (found < end) {
                return found;
            }
            at = end;
        }
        return to;
    }
}
