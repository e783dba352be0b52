package dev.holdfast.shell;

import dev.holdfast.shell.word.Word;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** What the text has defined as {@code alias name=value}. */
final class Aliases {
    /** As they were defined. */
    private final Map<String, Word> byName = new HashMap<>();

    void define(List<Word> words) {
        for (Word word : words) {
            int equals = word.text().indexOf('=');
            if (word.known() && equals > 0) {
                byName.put(word.text().substring(0, equals), word);
            }
        }
    }

    /**
     * Whether the program is an alias; then its value stands in its place, in which it is none itself.
     *
     * @param run given the words, unless these are none
     */
    boolean expand(List<Word> words, Consumer<List<Word>> run) {
        String name = words.getFirst().text();
        Word alias = byName.remove(name);
        if (alias == null) {
            return false;
        }
        Word value = alias.from(alias.text().indexOf('=') + 1);
        List<Word> expanded = Place.plus(value.parts(), words.subList(1, words.size()));
        if (!expanded.isEmpty()) {
            run.accept(expanded);
        }
        byName.put(name, alias);
        return true;
    }
}
