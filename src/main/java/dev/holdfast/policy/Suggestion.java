package dev.holdfast.policy;

import dev.holdfast.shell.SimpleCommand;
import dev.holdfast.shell.SimpleCommand.Runs;
import dev.holdfast.shell.Word;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a person may allow beyond the one time: a pattern over the words of a simple command as the shell has them,
 * never over its text. Only of a command that is alone, that is known, and that neither redirects nor assigns.
 */
final class Suggestion {
    private static final Pattern SUBCOMMAND = Pattern.compile("[a-z][a-z0-9:_-]*");

    private Suggestion() {}

    /**
     * {@code git push *} for {@code git push origin main}; all the words of what is grave; nothing where no pattern is
     * safe.
     */
    static Optional<String> of(Action action) {
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
        return plain ? Optional.of(pattern(words, classes)) : Optional.empty();
    }

    /** Whether what it does is all in its words. */
    static boolean isPlain(SimpleCommand command) {
        return command.runs() == Runs.NO_TEXT
                && command.assignments().isEmpty()
                && command.redirects().stream().noneMatch(redirect -> redirect.writes());
    }

    private static String pattern(List<Word> words, Set<CommandClass> classes) {
        String program = words.getFirst().text();
        if (!Collections.disjoint(classes, CommandClass.GRAVE)) {
            return words.stream().map(Word::text).collect(Collectors.joining(" "));
        }
        if (!Classes.TABLE.hasSubcommands(words.getFirst().name())) {
            return program + " *";
        }
        boolean named =
                words.size() > 1 && SUBCOMMAND.matcher(words.get(1).text()).matches();
        return named
                ? program + " " + words.get(1).text() + " *"
                : words.stream().map(Word::text).collect(Collectors.joining(" "));
    }
}
