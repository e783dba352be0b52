package dev.holdfast.shell;

import dev.holdfast.shell.word.Word;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a command stands in.
 *
 * @param behind see {@link SimpleCommand}
 * @param from whose output it gets as its input
 * @param redirects those of the group it is in
 * @param input the text it is given as its input; null when there is none that is known
 */
record Place(
        List<List<Word>> behind,
        List<SimpleCommand> from,
        List<Redirect> redirects,
        @Nullable Word input) {
    static final Place TOP = new Place(List.of(), List.of(), List.of(), null);

    Place from(List<SimpleCommand> upstream) {
        return new Place(behind, plus(from, upstream), redirects, input);
    }

    /** {@code exec} without a program opens its input for what follows. */
    Place after(SimpleCommand last) {
        return last.words().size() == 1 && last.words().getFirst().text().equals("exec")
                ? new Place(behind, last.from(), redirects, last.input())
                : this;
    }

    /** What is in it gets no input, and its output goes elsewhere. */
    Place alone() {
        return new Place(behind, List.of(), List.of(), null);
    }

    static <T> List<T> plus(List<T> some, List<T> more) {
        if (more.isEmpty()) {
            return some;
        }
        List<T> all = new ArrayList<>(some);
        all.addAll(more);
        return List.copyOf(all);
    }
}
