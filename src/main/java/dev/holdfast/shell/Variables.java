package dev.holdfast.shell;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Variables whose values can be known without running anything: those of the environment that are told, and those that
 * the text assigns once, to something known.
 */
final class Variables {
    private final Map<String, List<String>> values = new HashMap<>();
    private final Set<String> seen = new HashSet<>();

    Variables(Map<String, String> environment) {
        environment.forEach((name, value) -> values.put(name, List.of(value)));
    }

    /** Empty where that is not known. Several values are those of a loop, one after the other. */
    Optional<List<String>> get(String name) {
        return Optional.ofNullable(values.get(name));
    }

    void assign(String name, List<Word> value) {
        boolean known = seen.add(name) && value.stream().allMatch(word -> word.known() && !word.pattern());
        if (known) {
            values.put(name, value.stream().map(Word::text).toList());
        } else {
            values.remove(name);
        }
    }
}
