package dev.holdfast.shell.word;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
    private static final Pattern PART = Pattern.compile("[^ \\t\\n]+");
    private static final Pattern SYSTEM = Pattern.compile("(/usr)?(/local)?/s?bin/[^/]+");

    /** An argument that no shell reads. */
    public static Word of(String argument) {
        return of(argument, 0);
    }

    /** @param start its place */
    public static Word of(String argument, int start) {
        int[] places = new int[argument.length()];
        for (int i = 0; i < places.length; i++) {
            places[i] = start + i;
        }
        return new Word(argument, true, false, places, start, start + argument.length());
    }

    /** One, or several, of which nothing is known. */
    public static Word unknown() {
        return new Word("", false, false, new int[0], 0, 0);
    }

    /** What blanks part, as {@code xargs} reads it. */
    public List<Word> parts() {
        List<Word> parts = new ArrayList<>();
        Matcher part = PART.matcher(text);
        while (part.find()) {
            int[] where = Arrays.copyOfRange(places, part.start(), part.end());
            parts.add(new Word(part.group(), known, false, where, start, end));
        }
        return parts;
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
