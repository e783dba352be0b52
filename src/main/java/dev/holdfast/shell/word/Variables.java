package dev.holdfast.shell.word;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Variables whose values can be known without running anything: those of the environment that are told, those that the
 * text assigns once, to something known, and the parameters of a text or a function that are given in it.
 */
public final class Variables {
    private static final Set<String> PARAMETERS = Set.of("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "@", "*");

    private final Map<String, List<Word>> values = new HashMap<>();
    private final Set<String> seen = new HashSet<>();

    /** What was assigned last, of what may have been assigned something else since. */
    private final Map<String, List<Word>> guesses = new HashMap<>();

    /** {@code $0} first; null where they are not known. */
    private @Nullable List<Word> parameters;

    /** So many characters, of loops and of what xargs runs, may yet be read once more, for another value. */
    private int repeatable = 12_000;

    public Variables(Map<String, String> environment) {
        values.put("IFS", List.of(Word.of(" ")));
        guesses.put("SHELL", List.of(Word.of("sh")));
        guesses.put("BASH", List.of(Word.of("bash")));
        environment.forEach((name, value) -> values.put(name, List.of(Word.of(value))));
    }

    /** Empty where that is not known. Several values are those of {@code $@}. */
    public Optional<List<Word>> get(String name) {
        return PARAMETERS.contains(name) ? parameter(name) : Optional.ofNullable(values.get(name));
    }

    private Optional<List<Word>> parameter(String name) {
        if (parameters == null) {
            return Optional.empty();
        }
        if (!Character.isDigit(name.charAt(0))) {
            List<Word> all = parameters.subList(Math.min(1, parameters.size()), parameters.size());
            return Optional.of(all).filter(words -> words.stream().allMatch(Word::known));
        }
        int number = name.charAt(0) - '0';
        // A word that is not known, or a pattern, may be several.
        boolean counted = parameters.stream().limit(number).allMatch(word -> word.known() && !word.pattern());
        Word word = number < parameters.size() ? parameters.get(number) : Word.of("");
        return counted && word.known() ? Optional.of(List.of(word)) : Optional.empty();
    }

    /** Reads what has these, {@code $0} first, in place of those around it. */
    public void within(List<Word> inner, Runnable reading) {
        List<Word> outer = parameters;
        parameters = List.copyOf(inner);
        reading.run();
        parameters = outer;
    }

    /**
     * Reads the body of a loop once for each value; once, with nothing known, where there are none or it is too much.
     *
     * @param length of the body
     */
    public void each(String name, List<Word> looped, int length, Runnable body) {
        boolean few = !looped.isEmpty() && mayRepeat((looped.size() - 1L) * length);
        for (Word value : few ? looped : List.of(Word.unknown())) {
            seen.add(name);
            guesses.remove(name);
            values.remove(name);
            if (value.known()) {
                values.put(name, List.of(value));
            }
            body.run();
        }
    }

    /** Whether so many characters may yet be read once more; then they are taken from those that may. */
    public boolean mayRepeat(long more) {
        boolean may = more <= repeatable;
        repeatable -= may ? (int) more : 0;
        return may;
    }

    /** @param words of which those that are {@code name=value} assign */
    public void declare(List<Word> words) {
        for (Word word : words) {
            int equals = word.text().indexOf('=');
            if (equals > 0) {
                assign(word.text().substring(0, equals), List.of(word.from(equals + 1)));
            }
        }
    }

    public void assign(String name, List<Word> value) {
        boolean first = seen.add(name);
        List<Word> before = values.remove(name);
        guesses.remove(name);
        if (before != null
                && before.toString().equals(value.toString())
                && value.stream().allMatch(Word::known)) {
            values.put(name, before);
        } else if (value.stream().allMatch(Word::known)) {
            (first ? values : guesses).put(name, List.copyOf(value));
        }
    }

    /** What it is most likely, where {@link #get} has nothing. */
    public Optional<List<Word>> guess(String name) {
        return Optional.ofNullable(guesses.get(name));
    }
}
