package dev.holdfast.output.search;

import dev.holdfast.output.search.Expression.Bytes;
import dev.holdfast.output.search.Expression.Choice;
import dev.holdfast.output.search.Expression.Repeated;
import java.util.BitSet;
import java.util.List;

/** A set of characters: those of ASCII one by one, and whether there are any beyond. */
final class CharacterSet {
    private static final int ASCII = 0x80;
    private static final Expression BEYOND = Expression.range(ASCII, 0xFF);

    private final BitSet ascii = new BitSet();
    private final boolean foldCase;
    private boolean beyond;
    private boolean unknown;

    CharacterSet(boolean foldCase) {
        this.foldCase = foldCase;
    }

    static CharacterSet any(boolean newlineToo) {
        CharacterSet any = new CharacterSet(false);
        any.add(0, Character.MAX_CODE_POINT);
        any.ascii.set('\n', newlineToo);
        return any;
    }

    void add(int first, int last) {
        beyond |= last >= ASCII;
        for (int c = first; c <= Math.min(last, ASCII - 1); c++) {
            ascii.set(c);
            if (foldCase) {
                ascii.set(Character.toUpperCase(c));
                ascii.set(Character.toLowerCase(c));
                // The Kelvin sign and the long s.
                beyond |= "kKsS".indexOf(c) >= 0;
            }
        }
        if (foldCase && last >= ASCII) {
            "kKsS".chars().forEach(ascii::set);
        }
    }

    void addPerl(int letter) {
        BitSet named = new BitSet();
        switch (Character.toLowerCase(letter)) {
            case 'd' -> named.set('0', '9' + 1);
            case 's' -> "\t\n\f\r ".chars().forEach(named::set);
            default -> {
                named.set('0', '9' + 1);
                named.set('a', 'z' + 1);
                named.set('A', 'Z' + 1);
                named.set('_');
            }
        }
        if (Character.isUpperCase(letter)) {
            named.flip(0, ASCII);
            beyond = true;
        }
        named.stream().forEach(c -> add(c, c));
    }

    /** A class that is not looked up: it may hold any character, and leave out any. */
    void addUnknown() {
        unknown = true;
    }

    CharacterSet negated() {
        CharacterSet others = new CharacterSet(foldCase);
        others.unknown = unknown;
        others.beyond = true;
        others.ascii.or(ascii);
        others.ascii.flip(0, ASCII);
        return others;
    }

    Expression expression() {
        BitSet one = (BitSet) ascii.clone();
        if (unknown) {
            one.set(0, ASCII);
        }
        Expression within = new Bytes(one);
        if (!beyond && !unknown) {
            return within;
        }
        return new Choice(List.of(within, Expression.sequence(List.of(BEYOND, new Repeated(BEYOND)))));
    }
}
