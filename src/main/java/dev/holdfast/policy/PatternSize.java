package dev.holdfast.policy;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * How large a regular expression becomes: RE2 writes out what is repeated a counted number of times, and
 * {@code ((a{1000}){1000}){1000}} would take all memory. One pass; an upper bound, in characters.
 */
public final class PatternSize {
    /** No expression may be larger: it takes some 10 MB. */
    public static final int MOST = 100_000;

    private static final long ENDLESS = Long.MAX_VALUE / 2000;

    private final String regex;
    /** What stands before a group that is still open. */
    private final Deque<Long> outer = new ArrayDeque<>();

    private long before;
    private long last;
    private int at;

    private PatternSize(String regex) {
        this.regex = regex;
    }

    public static long of(String regex) {
        PatternSize size = new PatternSize(regex);
        while (size.at < regex.length()) {
            size.step(regex.charAt(size.at));
        }
        while (!size.outer.isEmpty()) {
            size.closeGroup();
        }
        return size.before + size.last;
    }

    private void step(char c) {
        switch (c) {
            case '\\' -> escape();
            case '[' -> characterClass();
            case '(' -> openGroup();
            case ')' -> closeGroup();
            case '{' -> repeat();
            default -> one(1);
        }
    }

    private void one(int length) {
        before = Math.min(ENDLESS, before + last);
        last = 1;
        at += length;
    }

    private void openGroup() {
        outer.push(before + last);
        before = 0;
        last = 0;
        at++;
    }

    private void closeGroup() {
        last = before + last;
        before = outer.isEmpty() ? 0 : outer.pop();
        at++;
    }

    /** {@code \Q…\E}, a name or a number in braces, or one character. */
    private void escape() {
        char kind = at + 1 < regex.length() ? regex.charAt(at + 1) : ' ';
        boolean braces = "pPx".indexOf(kind) >= 0 && regex.startsWith("{", at + 2);
        String end = kind == 'Q' ? "\\E" : braces ? "}" : "";
        int found = regex.indexOf(end, at + 2);
        one(end.isEmpty() ? 2 : (found < 0 ? regex.length() : found + end.length()) - at);
    }

    private void characterClass() {
        int end = at + 1;
        end += regex.startsWith("^", end) ? 1 : 0;
        end += regex.startsWith("]", end) ? 1 : 0;
        while (end < regex.length() && regex.charAt(end) != ']') {
            end += regex.charAt(end) == '\\' ? 2 : 1;
        }
        one(end + 1 - at);
    }

    /** {@code {n}}, {@code {n,}}, {@code {n,m}}; other braces are characters. */
    private void repeat() {
        int close = regex.indexOf('}', at);
        String[] counts = close < 0 || close - at > 12
                ? new String[0]
                : regex.substring(at + 1, close).split(",");
        long most = 0;
        for (String count : counts) {
            if (!count.chars().allMatch(c -> c >= '0' && c <= '9')) {
                one(1);
                return;
            }
            most = Math.max(most, count.isEmpty() ? 0 : Long.parseLong(count));
        }
        if (counts.length == 0) {
            one(1);
            return;
        }
        last = Math.min(ENDLESS, last * Math.clamp(most, 1, 2000));
        at = close + 1;
    }
}
