package dev.holdfast.shell;

import dev.holdfast.shell.SimpleCommand.Assignment;
import dev.holdfast.shell.grammar.Node;
import dev.holdfast.shell.word.Word;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A command before it is known what of it is a program of its own. */
final class Parts {
    final Place place;
    final List<Word> words = new ArrayList<>();
    final List<Assignment> assignments = new ArrayList<>();
    final List<Redirect> redirects = new ArrayList<>();
    final List<SimpleCommand> from = new ArrayList<>();
    /** Each {@code >(…)}, which gets its output and is read when it is listed. */
    final List<Node> outputs = new ArrayList<>();

    @Nullable
    Word input;

    Parts(Place place) {
        this.place = place;
        input = place.input();
        redirects.addAll(place.redirects());
    }

    /** Where what these words run stands. */
    Place inside(List<Word> outer) {
        return new Place(
                Place.plus(place.behind(), List.of(outer)),
                Place.plus(place.from(), from),
                List.copyOf(redirects),
                input);
    }

    boolean areOpenedBy(List<SimpleCommand> commands) {
        return commands.stream().anyMatch(command -> command.redirects().containsAll(redirects));
    }
}
