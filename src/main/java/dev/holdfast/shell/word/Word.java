package dev.holdfast.shell.word;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A word of a command as the shell would have it: quotes and escapes gone, what can be known expanded.
 *
 * @param text what cannot be known stands in it as it was written ({@code $X}, {@code $(date)})
 * @param known false when it holds something that only running it tells
 * @param pattern whether the shell would look for files that match it
 * @param places for each character of {@code text} its place in the text that was read
 * @param start of its first character in the text that was read, quotes counted
 * @param end after its last one
 */
public record Word(String text, boolean known, boolean pattern, int[] places, int start, int end) {
    private static final Pattern TOKEN = Pattern.compile("(?s)'[^'\n]*+'|\"[^\"\n]*+\"|\\\\.|.");
    private static final String BLANKS = " \t\n";
    /** So many characters may be put into a word. */
    private static final int LONGEST = 100_000;

    private static final Pattern SYSTEM = Pattern.compile("(/usr)?(/local)?/s?bin/[^/]+");

    /** An argument that no shell reads. */
    public static Word of(String argument) {
        return of(argument, 0);
    }

    /** @param start its place */
    public static Word of(String argument, int start) {
        int end = start + argument.length();
        return new Word(argument, true, false, IntStream.range(start, end).toArray(), start, end);
    }

    /** One, or several, of which nothing is known. */
    public static Word unknown() {
        return new Word("", false, false, new int[0], 0, 0);
    }

    /** What blanks part, as {@code xargs} and {@code env -S} read it: quotes and backslashes gone. */
    public List<Word> parts() {
        return parts(BLANKS);
    }

    /** What ends of lines part, read likewise. */
    public List<Word> lines() {
        return parts("\n");
    }

    private List<Word> parts(String separators) {
        List<Word> parts = new ArrayList<>();
        Cells part = new Cells();
        Matcher token = TOKEN.matcher(text);
        while (token.find()) {
            char first = text.charAt(token.start());
            boolean plain = token.end() - token.start() == 1;
            if (plain && (separators.indexOf(first) >= 0 || (part.isEmpty() && BLANKS.indexOf(first) >= 0))) {
                parts.addAll(part.words(start, end, ""));
                part = new Cells();
            } else {
                part.add(this, token.start() + (plain ? 0 : 1), token.end() - (plain || first == '\\' ? 0 : 1));
            }
        }
        parts.addAll(part.words(start, end, ""));
        return parts;
    }

    /** How often something that is not empty stands in it. */
    public int count(String gap) {
        return (text.length() - text.replace(gap, "").length()) / gap.length();
    }

    /** With another in place of each gap; as it is, where that is too long. */
    public Word filled(String gap, Word with) {
        int gaps = count(gap);
        if (gaps == 0 || (long) gaps * with.text.length() > LONGEST) {
            return this;
        }
        Cells cells = new Cells();
        int from = 0;
        for (int at = text.indexOf(gap); at >= 0; at = text.indexOf(gap, from)) {
            cells.add(this, from, at);
            cells.add(with, 0, with.text.length());
            from = at + gap.length();
        }
        cells.add(this, from, text.length());
        Word filled = cells.words(start, end, "").getFirst();
        return new Word(filled.text, filled.known, pattern || with.pattern, filled.places, start, end);
    }

    /** A part of its text, as a word that no shell reads. */
    public Word part(int from, int to) {
        int[] where = Arrays.copyOfRange(places, from, to);
        return new Word(text.substring(from, to), true, false, where, where[0], where[where.length - 1] + 1);
    }

    /** Of a path, its last part. */
    public String name() {
        return text.substring(text.lastIndexOf('/') + 1);
    }

    /** Whether it names a program by a path outside of the system's own folders: {@code ./ls} is not {@code ls}. */
    public boolean isElsewhere() {
        return text.indexOf('/') >= 0 && !SYSTEM.matcher(text).matches();
    }

    /** What is left of it from a character of its text on. */
    public Word from(int index) {
        return new Word(
                text.substring(index), known, pattern, Arrays.copyOfRange(places, index, places.length), start, end);
    }

    @Override
    public String toString() {
        return text;
    }
}
