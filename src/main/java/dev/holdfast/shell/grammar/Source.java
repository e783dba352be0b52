package dev.holdfast.shell.grammar;

import dev.holdfast.shell.word.Word;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A text that is read: that which was given, or one within it.
 *
 * @param places of its characters in the outermost text, and of its end
 */
public record Source(String text, int[] places) {
    public static Source outermost(String text) {
        return new Source(text, IntStream.rangeClosed(0, text.length()).toArray());
    }

    public static Source of(Word word) {
        int[] places = Arrays.copyOf(word.places(), word.text().length() + 1);
        places[word.text().length()] = word.end();
        return new Source(word.text(), places);
    }

    /** Of a character, or of the nearest one. */
    public int place(int at) {
        return places[Math.clamp(at, 0, places.length - 1)];
    }

    public String written(Node node) {
        return text.substring(node.start(), node.end());
    }

    /** A part of it, as it is written. */
    public Word word(int from, int to) {
        return new Word(
                text.substring(from, to), true, false, Arrays.copyOfRange(places, from, to), places[from], places[to]);
    }
}
