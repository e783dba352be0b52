package dev.holdfast.runtime.line;

import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What the keys of a terminal's line editing make of a line: the cursor's, those that delete, and ^Y for what the last
 * one took away. What history and completion bring back cannot be seen here. For one line.
 */
final class LineKeys {
    private static final Pattern SEQUENCE = Pattern.compile("\u001b(?:\\[([0-9;?]*[ -/]*[@-~])|O(.)|.)?");

    private final StringBuilder line = new StringBuilder();
    private String taken = "";
    private int at;

    private LineKeys() {}

    static String edited(String typed) {
        LineKeys keys = new LineKeys();
        SEQUENCE.matcher(typed).replaceAll(LineKeys::key).chars().forEach(one -> keys.press((char) one));
        return keys.line.toString();
    }

    /** The control character that does the same, or nothing. */
    private static String key(MatchResult sequence) {
        String name = sequence.group(1) == null ? String.valueOf(sequence.group(2)) : sequence.group(1);
        return switch (name) {
            case "D" -> "\u0002";
            case "C" -> "\u0006";
            case "H", "1~", "7~" -> "\u0001";
            case "F", "4~", "8~" -> "\u0005";
            case "3~" -> "\u0004";
            default -> "";
        };
    }

    private void press(char key) {
        switch (key) {
            case '\u0001' -> at = 0;
            case '\u0005' -> at = line.length();
            case '\u0002' -> at = Math.max(0, at - 1);
            case '\u0006' -> at = Math.min(line.length(), at + 1);
            case '\u0004' -> line.delete(at, Math.min(line.length(), at + 1));
            case '\u007f', '\b' -> delete(Math.max(0, at - 1), at);
            case '\u0017' -> take(previousWord(), at);
            case '\u0015' -> take(0, at);
            case '\u000b' -> take(at, line.length());
            case '\u0019' -> insert(taken);
            case '\u0003' -> delete(0, line.length());
            default -> insert(key < ' ' && key != '\t' ? "" : String.valueOf(key));
        }
    }

    private void insert(String text) {
        line.insert(at, text);
        at += text.length();
    }

    private void take(int from, int to) {
        taken = line.substring(from, to);
        delete(from, to);
    }

    private void delete(int from, int to) {
        line.delete(from, to);
        at = from;
    }

    private int previousWord() {
        int from = at;
        while (from > 0 && line.charAt(from - 1) == ' ') {
            from--;
        }
        while (from > 0 && line.charAt(from - 1) != ' ') {
            from--;
        }
        return from;
    }
}
