package dev.holdfast.output.search;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.output.search.Expression.Choice;
import dev.holdfast.output.search.Expression.LineEnd;
import dev.holdfast.output.search.Expression.LineStart;
import dev.holdfast.output.search.Expression.Repeated;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Reads a pattern in RE2's syntax that RE2/J has taken already. Where exactness is dear it allows more: a character
 * beyond ASCII in a class is any such, a word boundary is everywhere. Of what is rare (octal escapes, {@code \Q},
 * {@code \C}) it knows nothing.
 */
final class ExpressionReader {
    private static final int MAX_DEPTH = 200;
    private static final int MAX_COPIES = 16;
    private static final int MAX_PARTS = 4000;
    private static final int END = -1;

    private final int[] regex;
    private int at;
    private int depth;
    private boolean foldCase;
    private boolean overLines;

    private ExpressionReader(String regex) {
        this.regex = regex.codePoints().toArray();
    }

    /** Something of the pattern is not known here. */
    private static final class UnknownSyntaxException extends RuntimeException {}

    /** Empty where nothing can be said of the matches. */
    static Optional<Expression> read(String regex) {
        try {
            ExpressionReader reader = new ExpressionReader(regex);
            Expression whole = reader.choice();
            return reader.peek() == END ? Optional.of(whole) : Optional.empty();
        } catch (UnknownSyntaxException e) {
            return Optional.empty();
        }
    }

    private int peek() {
        return at < regex.length ? regex[at] : END;
    }

    private int next() {
        if (peek() == END) {
            throw new UnknownSyntaxException();
        }
        return regex[at++];
    }

    private boolean take(String expected) {
        int[] wanted = expected.chars().toArray();
        int end = at + wanted.length;
        boolean there = end <= regex.length && Arrays.equals(regex, at, end, wanted, 0, wanted.length);
        at = there ? end : at;
        return there;
    }

    private Expression choice() {
        List<Expression> options = new ArrayList<>();
        do {
            options.add(sequence());
        } while (take("|"));
        return options.size() == 1 ? options.getFirst() : new Choice(List.copyOf(options));
    }

    private Expression sequence() {
        List<Expression> parts = new ArrayList<>();
        while (peek() != END && peek() != '|' && peek() != ')') {
            parts.add(repeated(atom()));
        }
        return sequence(parts);
    }

    private static Expression sequence(List<Expression> parts) {
        Expression made = Expression.sequence(parts);
        if (made instanceof Expression.Sequence(List<Expression> flat) && flat.size() > MAX_PARTS) {
            throw new UnknownSyntaxException();
        }
        return made;
    }

    private Expression repeated(Expression atom) {
        Expression result = atom;
        while (true) {
            int before = at;
            if (take("*")) {
                result = new Repeated(result);
            } else if (take("+")) {
                result = Expression.sequence(List.of(result, new Repeated(result)));
            } else if (take("?")) {
                result = new Choice(List.of(result, Expression.nothing()));
            } else {
                result = counted(result);
            }
            if (at == before) {
                return result;
            }
            take("?");
        }
    }

    /** After {@code {n}}, {@code {n,}} or {@code {n,m}}; what does not read so is text. */
    private Expression counted(Expression atom) {
        int start = at;
        if (take("{")) {
            int least = number();
            boolean exact = least >= 0 && peek() == '}';
            if (least >= 0 && (exact || take(",")) && (number() >= END && take("}"))) {
                List<Expression> parts = new ArrayList<>(Collections.nCopies(Math.min(least, MAX_COPIES), atom));
                if (!exact || least > MAX_COPIES) {
                    parts.add(new Repeated(atom));
                }
                return sequence(parts);
            }
        }
        at = start;
        return atom;
    }

    /** Negative where there is none. */
    private int number() {
        int number = END;
        while (peek() >= '0' && peek() <= '9') {
            number = Math.min(Math.max(number, 0) * 10 + next() - '0', MAX_PARTS);
        }
        return number;
    }

    private Expression atom() {
        int c = next();
        return switch (c) {
            case '(' -> group();
            case '[' -> bracket();
            case '.' -> CharacterSet.any(overLines).expression();
            case '^' -> new LineStart();
            case '$' -> new LineEnd();
            case '\\' -> escape();
            default -> character(c);
        };
    }

    private Expression group() {
        boolean outer = foldCase;
        if (++depth > MAX_DEPTH) {
            throw new UnknownSyntaxException();
        }
        if (take("?P<") || take("?<")) {
            passOver('>');
        } else if (take("?") && flags()) {
            depth--;
            return Expression.nothing();
        }
        Expression inner = choice();
        if (next() != ')') {
            throw new UnknownSyntaxException();
        }
        foldCase = outer;
        depth--;
        return inner;
    }

    /** Whether they are all there is of the group, and hold for what follows it. */
    private boolean flags() {
        boolean on = true;
        while (true) {
            int flag = next();
            switch (flag) {
                case 'i' -> foldCase = on;
                case 's' -> overLines = true;
                case 'm', 'U' -> {
                    // Of one line, and of whether there is a match at all, they say nothing.
                }
                case '-' -> on = false;
                case ':', ')' -> {
                    return flag == ')';
                }
                default -> throw new UnknownSyntaxException();
            }
        }
    }

    private Expression escape() {
        return switch (next()) {
            case 'A' -> new LineStart();
            case 'z' -> new LineEnd();
            case 'b', 'B' -> Expression.nothing();
            default -> {
                at--;
                CharacterSet set = new CharacterSet(foldCase);
                int c = escaped(set);
                yield c == END ? set.expression() : character(c);
            }
        };
    }

    /** The character that is escaped, or {@link #END} after the class it stands for is added to the set. */
    private int escaped(CharacterSet set) {
        int c = next();
        int control = "aftnrv".indexOf(c);
        if (control >= 0) {
            return "\u0007\f\t\n\r\u000B".charAt(control);
        }
        switch (c) {
            case 'd', 'D', 's', 'S', 'w', 'W' -> set.addPerl(c);
            case 'p', 'P' -> {
                if (next() == '{') {
                    passOver('}');
                }
                set.addUnknown();
            }
            case 'x' -> {
                return hexadecimal();
            }
            default -> {
                if (c > 0x7F || Character.isLetterOrDigit(c)) {
                    throw new UnknownSyntaxException();
                }
                return c;
            }
        }
        return END;
    }

    private void passOver(int last) {
        while (next() != last) {
            // A name: which of Unicode's classes it is, or how a group is called, makes no difference.
        }
    }

    private int hexadecimal() {
        boolean braces = take("{");
        int value = 0;
        int digit = Character.digit(next(), 16);
        for (int i = 0; digit >= 0 && (braces || i < 2); i++) {
            value = value * 16 + digit;
            digit = braces || i == 0 ? Character.digit(next(), 16) : digit;
        }
        return value;
    }

    private Expression bracket() {
        CharacterSet set = new CharacterSet(foldCase);
        boolean negated = take("^");
        int first = at;
        while (at == first || peek() != ']') {
            if (take("[:")) {
                while (!take(":]")) {
                    next();
                }
                set.addUnknown();
                continue;
            }
            int from = next();
            from = from == '\\' ? escaped(set) : from;
            if (from != END) {
                set.add(from, rangeEnd(set, from));
            }
        }
        next();
        return (negated ? set.negated() : set).expression();
    }

    private int rangeEnd(CharacterSet set, int from) {
        if (peek() != '-' || at + 1 >= regex.length || regex[at + 1] == ']') {
            return from;
        }
        next();
        int to = next();
        to = to == '\\' ? escaped(set) : to;
        if (to == END) {
            throw new UnknownSyntaxException();
        }
        return to;
    }

    private Expression character(int c) {
        if (c > 0x7F && c != 0xFFFD && !foldCase) {
            List<Expression> bytes = new ArrayList<>();
            for (byte b : Character.toString(c).getBytes(UTF_8)) {
                bytes.add(Expression.range(b & 0xFF, b & 0xFF));
            }
            return Expression.sequence(bytes);
        }
        CharacterSet set = new CharacterSet(foldCase);
        set.add(c, c);
        return set.expression();
    }
}
