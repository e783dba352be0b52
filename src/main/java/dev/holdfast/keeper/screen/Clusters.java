package dev.holdfast.keeper.screen;

import java.util.ArrayList;
import java.util.List;

/** Characters with marks on them: they get numbers beyond all characters. Bounded. Not thread-safe. */
final class Clusters {
    private static final int FIRST = Character.MAX_CODE_POINT + 1;
    private static final int MOST = 2048;
    private static final int LONGEST = 16;

    private final List<String> texts = new ArrayList<>();

    static boolean isOne(int character) {
        return character >= FIRST;
    }

    String text(int character) {
        return isOne(character) ? texts.get(character - FIRST) : Character.toString(character);
    }

    /** The character with one more mark on it; without where that would be too many. */
    int marked(int character, int mark) {
        String text = text(character) + Character.toString(mark);
        int known = texts.indexOf(text);
        if (known < 0 && texts.size() < MOST && text.length() < LONGEST) {
            texts.add(text);
            known = texts.size() - 1;
        }
        return known < 0 ? character : FIRST + known;
    }
}
