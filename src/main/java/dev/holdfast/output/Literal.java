package dev.holdfast.output;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.BitSet;
import java.util.List;

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
    private static final String COMMON_FIRST = " etaoinsrhldcumfpgwybv0123456789.-_/:kxjqz=";

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

    /** Where the two bytes begin that are likely to be seldom. */
    private int rarest() {
        int rarest = 0;
        for (int i = 1; i < codes.length() - 1; i++) {
            rarest = rarity(i) + rarity(i + 1) > rarity(rarest) + rarity(rarest + 1) ? i : rarest;
        }
        return rarest;
    }

    private int rarity(int at) {
        int common = COMMON_FIRST.indexOf(codes.charAt(at) & 0xFF);
        return common < 0 ? COMMON_FIRST.length() : common;
    }

    /**
     * What to set in both bytes before they are compared: the bit that tells small letters from capitals, or nothing.
     */
    int mask() {
        int pair = rarest();
        return ((codes.charAt(pair) | codes.charAt(pair + 1)) & EITHER_CASE) == 0 ? 0 : CASE;
    }

    /** The first of the two rare bytes, masked. */
    int first() {
        return (codes.charAt(rarest()) & 0xFF) | mask();
    }

    int second() {
        return (codes.charAt(rarest() + 1) & 0xFF) | mask();
    }
}
