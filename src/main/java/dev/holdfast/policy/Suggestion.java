package dev.holdfast.policy;

import dev.holdfast.policy.classes.Classes;
import dev.holdfast.policy.classes.CommandClass;
import dev.holdfast.shell.SimpleCommand;
import dev.holdfast.shell.SimpleCommand.Runs;
import dev.holdfast.shell.program.HandedOver;
import dev.holdfast.shell.word.Word;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a person may allow beyond the one time: a pattern over the words of a simple command as the shell has them,
 * never over its text. Only of a command that is alone, that is known, and that neither redirects nor assigns.
 */
public final class Suggestion {
    private static final Pattern PLAIN = Pattern.compile("[^\\s'\"\\\\?\\[]+");
    private static final Pattern SUBCOMMAND = Pattern.compile("[a-z][a-z0-9:_-]*");

    private Suggestion() {}

    /**
     * {@code git push *} for {@code git push origin main}; all the words of what is grave; nothing where no pattern is
     * safe.
     */
    public static Optional<String> of(Action action) {
        List<SimpleCommand> commands = action.script().commands();
        if (!action.script().understood() || commands.size() != 1) {
            return Optional.empty();
        }
        SimpleCommand command = commands.getFirst();
        Set<CommandClass> classes = Classes.TABLE.of(command);
        List<Word> words = Match.ownForm(command, classes);
        boolean plain = isPlain(command)
                && !classes.contains(CommandClass.UNKNOWN)
                && words.stream().allMatch(word -> word.known() && word.text().indexOf('*') < 0);
        return plain ? pattern(command, words, classes) : Optional.empty();
    }

    /** Whether what it does is all in its words. */
    static boolean isPlain(SimpleCommand command) {
        return command.runs() == Runs.NO_TEXT
                && command.assignments().isEmpty()
                && command.redirects().stream().noneMatch(redirect -> redirect.writes());
    }

    private static Optional<String> pattern(SimpleCommand command, List<Word> words, Set<CommandClass> classes) {
        boolean named =
                words.size() > 1 && SUBCOMMAND.matcher(words.get(1).text()).matches();
        boolean grave = !Collections.disjoint(classes, CommandClass.GRAVE);
        if (!grave && !Classes.TABLE.hasSubcommands(words.getFirst().name())) {
            return Optional.of(written(words.subList(0, 1)) + " *");
        } else if (!grave && named) {
            return Optional.of(written(words.subList(0, 2)) + " *");
        }
        // What a pattern stands for is another thing each time, and so is what xargs hands over.
        boolean same = words.stream().noneMatch(Word::pattern)
                && Classes.addedByXargs(command).isEmpty()
                && !hasGap(command);
        return same ? Optional.of(written(words)) : Optional.empty();
    }

    private static boolean hasGap(SimpleCommand command) {
        return command.behind().stream()
                .flatMap(outer -> Stream.ofNullable(HandedOver.gap(outer)))
                .anyMatch(gap ->
                        command.words().stream().anyMatch(word -> word.text().contains(gap)));
    }

    /** One blank between two words, and quotes around one that would not be the same without them. */
    static String written(List<Word> words) {
        return words.stream().map(Suggestion::written).collect(Collectors.joining(" "));
    }

    private static String written(Word word) {
        boolean plain = word.pattern() || PLAIN.matcher(word.text()).matches();
        return plain ? word.text() : "'" + word.text().replace("'", "'\\''") + "'";
    }
}
