package dev.holdfast.output.search;

import dev.holdfast.output.Escapes;
import dev.holdfast.output.search.Expression.Bytes;
import dev.holdfast.output.search.Expression.Choice;
import dev.holdfast.output.search.Expression.LineEnd;
import dev.holdfast.output.search.Expression.LineStart;
import dev.holdfast.output.search.Expression.Repeated;
import dev.holdfast.output.search.Expression.Sequence;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the lines that may match, in one pass over their bytes: a deterministic automaton, its states made when they
 * are first reached. A line with bytes that do not stand for themselves (controls, escapes but colours) may always
 * match. For one thread; holds 1 MiB at most.
 */
final class LineFilter {
    /** A state's row in the table begins at its number times this. */
    private static final int ROW = 256;

    private static final int UNKNOWN = 0;
    private static final int STOP = ROW;
    private static final int MAX_STATES = 1024;
    private static final int MAX_NODES = 4000;
    private static final byte ESC = Escapes.ESC;

    private enum Kind {
        BYTE,
        BRANCH,
        LINE_START,
        MATCH
    }

    /** Of the nondeterministic automaton: where it goes, when a byte is of the set, or at once. */
    private record Node(Kind kind, BitSet on, int[] next) {}

    private static final BitSet NONE = new BitSet();
    private static final Node MATCH = new Node(Kind.MATCH, NONE, new int[0]);

    private final List<Node> nodes = new ArrayList<>(List.of(MATCH));
    private final List<BitSet> states = new ArrayList<>(List.of(NONE, NONE));
    private final Map<BitSet, Integer> rows = new HashMap<>();
    private final BitSet matchesAtEnd = new BitSet();
    private final BitSet anywhere;
    private final int lineStart;
    private final int withinLine;
    private int[] table = new int[16 * ROW];
    private int state;
    private int resumeAt;
    private long newlines;

    /** One too large for it lets every line pass. */
    LineFilter(Expression expression) {
        int entry = build(expression, 0);
        boolean tooLarge = nodes.size() > MAX_NODES;
        this.anywhere = closure(tooLarge ? 0 : entry, false);
        this.lineStart = row(closure(tooLarge ? 0 : entry, true));
        this.withinLine = row(anywhere);
    }

    private int build(Expression expression, int next) {
        if (nodes.size() > MAX_NODES) {
            return next;
        }
        return switch (expression) {
            case Bytes(BitSet set) -> {
                BitSet within = (BitSet) set.clone();
                within.clear('\n');
                yield add(new Node(Kind.BYTE, within, new int[] {next}));
            }
            case Sequence(List<Expression> parts) -> {
                int entry = next;
                for (Expression part : parts.reversed()) {
                    entry = build(part, entry);
                }
                yield entry;
            }
            case Choice(List<Expression> options) -> {
                int[] entries =
                        options.stream().mapToInt(option -> build(option, next)).toArray();
                yield add(new Node(Kind.BRANCH, NONE, entries));
            }
            case Repeated(Expression part) -> {
                int again = add(MATCH);
                nodes.set(again, new Node(Kind.BRANCH, NONE, new int[] {build(part, again), next}));
                yield again;
            }
            case LineStart() -> add(new Node(Kind.LINE_START, NONE, new int[] {next}));
            case LineEnd() -> {
                BitSet newline = new BitSet();
                newline.set('\n');
                yield add(new Node(Kind.BYTE, newline, new int[] {0}));
            }
        };
    }

    private int add(Node node) {
        nodes.add(node);
        return nodes.size() - 1;
    }

    private BitSet closure(int entry, boolean atLineStart) {
        BitSet reached = new BitSet();
        follow(entry, atLineStart, reached);
        return reached;
    }

    private void follow(int entry, boolean atLineStart, BitSet reached) {
        Deque<Integer> open = new ArrayDeque<>(List.of(entry));
        while (!open.isEmpty()) {
            int node = open.pop();
            Kind kind = nodes.get(node).kind();
            if (!reached.get(node)) {
                reached.set(node);
                if (kind == Kind.BRANCH || (kind == Kind.LINE_START && atLineStart)) {
                    Arrays.stream(nodes.get(node).next()).forEach(open::push);
                }
            }
        }
    }

    /** Where the row of these nodes begins; {@link #STOP} when one is the end of a match, or no state is left. */
    private int row(BitSet reached) {
        Integer known = rows.get(reached);
        if (known != null) {
            return known;
        }
        if (reached.get(0) || states.size() == MAX_STATES) {
            return STOP;
        }
        int row = states.size() * ROW;
        states.add(reached);
        rows.put(reached, row);
        if (row == table.length) {
            table = Arrays.copyOf(table, 2 * table.length);
        }
        Arrays.fill(table, row, row + ' ', STOP);
        table[row + '\t'] = UNKNOWN;
        table[row + 0x7F] = STOP;
        table[row + 0xC2] = STOP;
        matchesAtEnd.set(states.size() - 1, step(reached, '\n').get(0));
        return row;
    }

    private BitSet step(BitSet from, int b) {
        BitSet reached = new BitSet();
        from.stream().mapToObj(nodes::get).forEach(node -> {
            if (node.kind() == Kind.BYTE && node.on().get(b)) {
                follow(node.next()[0], false, reached);
            }
        });
        return reached;
    }

    /** The newlines passed since this was asked last. */
    long takeNewlines() {
        long passed = newlines;
        newlines = 0;
        return passed;
    }

    /**
     * The offset of a byte of the first line that may match, or {@code to}.
     *
     * @param begins whether a line begins at {@code from}
     */
    int next(byte[] bytes, int from, int to, boolean begins) {
        state = begins ? lineStart : withinLine;
        return from < to && state == STOP ? from : scan(bytes, from, to);
    }

    /** Whether the line may match that was read last, if it ends there. */
    boolean matchesAtEnd() {
        return matchesAtEnd.get(state / ROW);
    }

    private int scan(byte[] bytes, int from, int to) {
        int[] steps = table;
        int now = state;
        for (int at = from; at < to; at++) {
            int next = steps[now | (bytes[at] & 0xFF)];
            if (next <= STOP) {
                resumeAt = at;
                next = closer(bytes, at, to, now);
                if (next == STOP) {
                    return at;
                }
                at = resumeAt;
                steps = table;
            }
            now = next;
        }
        state = now;
        return to;
    }

    /** The state after this byte, and those that belong to it. */
    private int closer(byte[] bytes, int at, int to, int now) {
        byte b = bytes[at];
        if (b == '\n') {
            if (matchesAtEnd.get(now / ROW)) {
                return STOP;
            }
            newlines++;
            return lineStart;
        }
        if (table[now | (b & 0xFF)] == UNKNOWN) {
            BitSet reached = step(states.get(now / ROW), b & 0xFF);
            reached.or(anywhere);
            int row = row(reached);
            table[now | (b & 0xFF)] = row;
            return row;
        }
        int end = b == ESC ? unseen(bytes, at, to) : at;
        if (b == '\r' && at + 1 < to && bytes[at + 1] == '\n') {
            return now;
        }
        resumeAt = end - 1;
        return end == at ? STOP : now;
    }

    /** After an escape that changes no text where it stands: colours, and erasing to the end. Else where it begins. */
    private static int unseen(byte[] bytes, int from, int to) {
        int at = from + 2;
        if (at >= to || bytes[from + 1] != '[') {
            return from;
        }
        if (bytes[at] == 'K') {
            return at + 1;
        }
        while (at < to && (bytes[at] == ';' || bytes[at] == ':' || (bytes[at] >= '0' && bytes[at] <= '9'))) {
            at++;
        }
        return at < to && bytes[at] == 'm' ? at + 1 : from;
    }
}
