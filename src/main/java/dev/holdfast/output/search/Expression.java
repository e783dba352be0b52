package dev.holdfast.output.search;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * What the UTF-8 bytes of a pattern's matches look like, as a regular expression over bytes. It may allow more than the
 * pattern does, never less: what it rules out needs no closer look.
 */
sealed interface Expression {
    /** One of these bytes. */
    record Bytes(BitSet set) implements Expression {}

    record Sequence(List<Expression> parts) implements Expression {}

    record Choice(List<Expression> options) implements Expression {}

    /** Any number of times, also none. */
    record Repeated(Expression part) implements Expression {}

    record LineStart() implements Expression {}

    record LineEnd() implements Expression {}

    /** It is everywhere. */
    static Expression nothing() {
        return new Sequence(List.of());
    }

    static Expression sequence(List<Expression> parts) {
        List<Expression> flat = new ArrayList<>();
        for (Expression part : parts) {
            if (part instanceof Sequence(List<Expression> inner)) {
                flat.addAll(inner);
            } else {
                flat.add(part);
            }
        }
        return flat.size() == 1 ? flat.getFirst() : new Sequence(List.copyOf(flat));
    }

    static Expression range(int first, int last) {
        BitSet set = new BitSet();
        set.set(first, last + 1);
        return new Bytes(set);
    }

    /** Whether a match may hold the end of a line. */
    default boolean spansLines() {
        return switch (this) {
            case Bytes(BitSet set) -> set.get('\n');
            case Sequence(List<Expression> parts) -> parts.stream().anyMatch(Expression::spansLines);
            case Choice(List<Expression> options) -> options.stream().anyMatch(Expression::spansLines);
            case Repeated(Expression part) -> part.spansLines();
            case LineStart _, LineEnd _ -> false;
        };
    }

    /** Of these every match holds one; empty when nothing is sure. Those of the longest, of few rather than of many. */
    default List<Literal> literals() {
        return switch (this) {
            case Sequence(List<Expression> parts) -> longest(parts);
            case Choice(List<Expression> options) -> ofEach(options);
            default -> List.of();
        };
    }

    private static List<Literal> longest(List<Expression> parts) {
        List<Literal> best = List.of();
        StringBuilder run = new StringBuilder();
        for (Expression part : parts) {
            int single = part instanceof Bytes(BitSet set) ? Literal.code(set) : Literal.NONE;
            if (single == Literal.NONE) {
                run.setLength(0);
                best = Literal.better(best, part.literals());
            } else {
                best = Literal.better(
                        best, List.of(new Literal(run.append((char) single).toString())));
            }
        }
        return best;
    }

    private static List<Literal> ofEach(List<Expression> options) {
        List<Literal> all = new ArrayList<>();
        for (Expression option : options) {
            List<Literal> some = option.literals();
            if (some.isEmpty() || all.size() + some.size() > Literal.MOST) {
                return List.of();
            }
            all.addAll(some);
        }
        return all;
    }
}
