package dev.holdfast.shell;

import dev.holdfast.shell.program.Directory;
import dev.holdfast.shell.word.Variables;
import dev.holdfast.shell.word.Word;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Where a shell stands while its text is read: by its {@code cd}, and by what {@code pushd} has put away. */
final class WorkingDirectory {
    private static final Set<String> MOVES = Set.of("cd", "chdir", "pushd", "popd");
    /** Of the shell's own: what these run, they run in this very shell. */
    private static final Set<String> OWN = Set.of("builtin", "command", "time");
    /** They read a text in this very shell. */
    private static final Set<String> READING = Set.of("eval", "source", ".");

    /**
     * @param below what {@code popd} goes back to
     * @param depth how many are below
     */
    private record At(@Nullable String directory, @Nullable At below, int depth) {
        At to(@Nullable String other) {
            return new At(other, below, depth);
        }

        At above(@Nullable String other) {
            return new At(other, this, depth + 1);
        }
    }

    private At at = new At("", null, 0);

    @Nullable
    String get() {
        return at.directory();
    }

    static boolean isMove(String program) {
        return MOVES.contains(program);
    }

    /** Whether what a program runs is run in the shell that runs the program. */
    static boolean runsHere(Word program) {
        return program.known() && OWN.contains(program.text());
    }

    /** The same of a text that it reads. */
    static boolean readsHere(Word program) {
        return program.known() && READING.contains(program.text());
    }

    void to(Word directory, Variables variables) {
        at = at.to(Directory.after(List.of(directory, directory), at.directory(), variables));
    }

    /** By {@code cd} and its like, and by nothing else. */
    void move(List<Word> words, Variables variables) {
        String program = words.getFirst().text();
        if (!isMove(program)) {
            return;
        }
        // Without a word pushd and popd fail where nothing was put away.
        At back = words.size() == 1 ? at.below() : null;
        if (program.equals("popd")) {
            at = back == null ? at : back;
        } else if (program.equals("pushd") && back != null) {
            at = back.to(at.directory()).above(back.directory());
        } else {
            String after = Directory.after(words, at.directory(), variables);
            at = program.equals("pushd") ? at.above(after) : at.to(after);
        }
    }

    /** What it does to the working directory is its own. */
    void apart(Runnable reading) {
        At outside = at;
        reading.run();
        at = outside;
    }

    /** Apart from all, to be told whether it would go somewhere else. */
    boolean moves(Runnable reading) {
        At outside = at;
        reading.run();
        boolean moved = !Objects.equals(at.directory(), outside.directory()) || at.depth() != outside.depth();
        at = outside;
        return moved;
    }

    /** Where it goes is where the shell stands then, unless nobody knows where that is: then it may have failed. */
    void following(Runnable reading) {
        At before = at;
        reading.run();
        at = at.directory() == null ? before : at;
    }
}
