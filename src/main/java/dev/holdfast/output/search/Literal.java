package dev.holdfast.output.search;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Bytes that follow each other, each as a character; with {@link #EITHER_CASE} added, a small letter that may be a
 * capital.
 */
record Literal(String codes) {
    /** So many together are looked for faster than an automaton reads. */
    static final int MOST = 4;

    static final int NONE = -1;

    private static final int EITHER_CASE = 0x100;
    private static final int CASE = 0x20;

    /** The code of a set that is one byte, or one letter in either case; else {@link #NONE}. */
    static int code(BitSet set) {
        int first = set.nextSetBit(0);
        int last = set.length() - 1;
        if (set.cardinality() == 1) {
            return first;
        }
        boolean cases = set.cardinality() == 2 && Character.isLetter(first) && last == (first | CASE) && last < 0x80;
        return cases ? last | EITHER_CASE : NONE;
    }

    /** The one whose shortest is longer; at least two bytes are wanted. */
    static List<Literal> better(List<Literal> some, List<Literal> others) {
        return shortest(others) > Math.max(1, shortest(some)) ? others : some;
    }

    private static int shortest(List<Literal> literals) {
        return literals.stream()
                .mapToInt(literal -> literal.codes.length())
                .min()
                .orElse(0);
    }

    /** Whether a text may hold it; not looked at where case makes no difference. */
    boolean mayBeIn(String text) {
        return codes.chars().anyMatch(code -> code >= EITHER_CASE)
                || text.contains(new String(codes.getBytes(ISO_8859_1), UTF_8));
    }

    /** Of its pairs the one that is least often in what was counted, the first of several. */
    BytePairs.Pair rarest(BytePairs counted) {
        return IntStream.range(0, codes.length() - 1)
                .mapToObj(this::pair)
                .min(Comparator.comparingInt(counted::count))
                .orElseThrow();
    }

    private BytePairs.Pair pair(int at) {
        int first = codes.charAt(at);
        int second = codes.charAt(at + 1);
        int mask = ((first | second) & EITHER_CASE) == 0 ? 0 : CASE;
        return new BytePairs.Pair(mask, (first & 0xFF) | mask, (second & 0xFF) | mask);
    }
}
