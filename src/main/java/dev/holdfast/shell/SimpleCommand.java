package dev.holdfast.shell;

import dev.holdfast.shell.program.HandedOver;
import dev.holdfast.shell.program.ShellWords;
import dev.holdfast.shell.word.Word;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A program with its arguments, as a shell would run it.
 *
 * @param words the program first, {@code :} for a redirect without one; what stands in front of it ({@code sudo},
 *     {@code env A=b}, {@code bash -c}) is in {@code behind}
 * @param behind the words of each command that runs this one, the outermost first: {@code sudo}, {@code find -exec}
 * @param assignments in front of it: {@code A=b make}
 * @param from whose output it gets, through a pipe or as its words
 * @param input text that it is given as its input, by a here-document or a here-string; null for none that is known
 * @param runs what it does with text
 * @param directory where it runs, by the {@code cd} in front of it: relative to where the whole does unless it begins
 *     with {@code /}; null when that cannot be known
 */
public record SimpleCommand(
        List<Word> words,
        List<List<Word>> behind,
        List<Assignment> assignments,
        List<Redirect> redirects,
        List<SimpleCommand> from,
        @Nullable Word input,
        Runs runs,
        @Nullable String directory) {

    /** @param value as {@link Word} has it */
    public record Assignment(String name, Word value) {}

    /** Which text it runs besides its own program. */
    public enum Runs {
        NO_TEXT,
        /** A function of the same text, whose commands are listed by themselves. */
        FUNCTION,
        /** A shell, with text that is read with the rest. */
        KNOWN_TEXT,
        /** A shell or {@code eval}, with text that cannot be known. */
        UNKNOWN_TEXT
    }

    public SimpleCommand withWords(List<Word> others) {
        return new SimpleCommand(others, behind, assignments, redirects, from, input, runs, directory);
    }

    /** Whether one of the programs in front of it has this name. */
    public boolean isBehind(String program) {
        return behind.stream().anyMatch(words -> words.getFirst().name().equals(program));
    }

    /** Whether it is a shell that reads the input of the whole. */
    public boolean isReadingShell() {
        return ShellWords.isShell(words)
                && ShellWords.of(words).readsInput()
                && from.isEmpty()
                && runs == Runs.UNKNOWN_TEXT;
    }

    /** {@code xargs -I{} sh -c 'rm {}'}: whether the text that it runs is another one each time. */
    public boolean isFilledIn() {
        List<String> gaps = behind.stream()
                .flatMap(outer -> Optional.ofNullable(HandedOver.gap(outer)).stream())
                .toList();
        return words.stream()
                .dropWhile(word -> !word.text().matches("-[a-z]*c"))
                .skip(1)
                .findFirst()
                .filter(word -> gaps.stream().anyMatch(word.text()::contains))
                .isPresent();
    }

    /** Whose output it gets, and whose these get, to the first. */
    public List<SimpleCommand> sources() {
        Set<SimpleCommand> all = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<SimpleCommand> next = new ArrayDeque<>(from);
        while (!next.isEmpty()) {
            SimpleCommand one = next.pop();
            if (all.add(one)) {
                next.addAll(one.from());
            }
        }
        return List.copyOf(all);
    }
}
