package dev.holdfast.shell.word;

/**
 * What a backslash makes of what follows it, in {@code $'…'} and in what {@code printf} prints.
 *
 * @param end after it in the text
 */
public record Escape(String text, int end) {
    private static final String NAMES = "abeEfnrtv\\'\"?";
    private static final String NAMED = "\u0007\b\u001b\u001b\f\n\r\t\u000b\\'\"?";

    /** @param from where the backslash is, which is not the last character before {@code to} */
    public static Escape at(String in, int from, int to) {
        char c = in.charAt(from + 1);
        int named = NAMES.indexOf(c);
        if (named >= 0) {
            return new Escape(NAMED.substring(named, named + 1), from + 2);
        }
        int digits = switch (c) {
            case 'x' -> 2;
            case 'u' -> 4;
            case 'U' -> 8;
            default -> Character.digit(c, 8) >= 0 ? 3 : 0;
        };
        if (digits == 0) {
            return new Escape(in.substring(from, from + 2), from + 2);
        }
        int radix = digits == 3 ? 8 : 16;
        int start = from + (radix == 8 ? 1 : 2);
        int end = start;
        while (end < to && end < start + digits && Character.digit(in.charAt(end), radix) >= 0) {
            end++;
        }
        int code = end == start ? c : Integer.parseUnsignedInt(in.substring(start, end), radix);
        return new Escape(Character.isValidCodePoint(code) ? Character.toString(code) : "?", end);
    }
}
