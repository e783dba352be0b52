package dev.holdfast.shell;

import dev.holdfast.shell.word.Variables;
import dev.holdfast.shell.word.Word;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The functions of a text: each is read as it is defined, and again where a call may make it do something else. */
final class Functions {
    private final Map<String, Runnable> bodies = new HashMap<>();
    /** Those that go to another directory. */
    private final Set<String> moving = new HashSet<>();

    private final Set<String> called = new HashSet<>();
    private final Variables variables;
    private final WorkingDirectory directory;

    Functions(Variables variables, WorkingDirectory directory) {
        this.variables = variables;
        this.directory = directory;
    }

    boolean has(String name) {
        return bodies.containsKey(name);
    }

    /** @param body reads it */
    void define(String name, Runnable body) {
        bodies.put(name, body);
        moving.remove(name);
        if (directory.moves(body)) {
            moving.add(name);
        }
    }

    /**
     * Reads the body once more with these parameters, or for where it goes; a function that calls itself does it as it
     * was defined.
     */
    void call(List<Word> words) {
        String name = words.getFirst().text();
        Runnable body = bodies.get(name);
        boolean again = words.size() > 1 || moving.contains(name);
        if (body == null || !again || !called.add(name)) {
            return;
        }
        Runnable reading = () -> variables.within(words, body);
        if (WorkingDirectory.isMove(name)) {
            directory.apart(reading); // by its name it goes there in any case
        } else if (words.size() == 1) {
            directory.following(reading);
        } else {
            reading.run();
        }
        called.remove(name);
    }
}
