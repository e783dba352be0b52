package dev.holdfast.policy;

import dev.holdfast.policy.Match.Subject;
import dev.holdfast.policy.classes.Classes;
import dev.holdfast.policy.classes.CommandClass;
import dev.holdfast.policy.classes.Hijacks;
import dev.holdfast.shell.SimpleCommand;
import dev.holdfast.shell.SimpleCommand.Assignment;
import dev.holdfast.shell.SimpleCommand.Runs;
import dev.holdfast.shell.program.Runner;
import dev.holdfast.shell.word.Word;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the mode {@code plan} lets through: what only reads, whatever it finds in its environment. Which variables
 * change what a program runs ({@code KUBECONFIG}, {@code GOFLAGS}) nobody can list, so known are those that do not, and
 * the programs that heed none. {@link Hijacks} has those that do, whatever the mode.
 */
final class PlanFloor {
    /** How things are shown, in which language, by whose account; a word in small letters is a text's own. */
    private static final Pattern HARMLESS = Pattern.compile(
            "[a-z][a-z0-9]*|_|LANG|LANGUAGE|LC_[A-Z_]+|TZ|TERM|COLORTERM|COLUMNS|LINES|MANWIDTH|LS_COLORS"
                    + "|GREP_COLORS?|JQ_COLORS|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|SYSTEMD_COLORS"
                    + "|POSIXLY_CORRECT|CI|NODE_ENV|DEBIAN_FRONTEND|RUST_BACKTRACE|RUST_LOG|PYTHONUNBUFFERED"
                    + "|PYTHONDONTWRITEBYTECODE|PYTHONIOENCODING|PYTHONUTF8|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS"
                    + "|GH_TOKEN|GITHUB_TOKEN|AWS_PROFILE|AWS_REGION|AWS_DEFAULT_REGION|GOOS|GOARCH"
                    + "|PGHOST|PGPORT|PGUSER|PGPASSWORD|PGDATABASE");

    /** {@code export}, or another one of its kind with {@code -x}. */
    private static final Pattern DECLARING = Pattern.compile("declare|typeset|local|readonly");

    private static final Pattern EXPORTING = Pattern.compile("-[A-Za-z]*x[A-Za-z]*");
    /** It says what such a variable says; {@code git rev-parse --git-dir} asks for it. */
    private static final Pattern OPTION = Pattern.compile("git --git-dir|(?:kubectl|oc|helm) --kubeconfig"
            + "|(?:docker|podman|nerdctl) --config|p?npm --(?:user|global)config");

    private static final Pattern NAME = Pattern.compile("\\w+");
    private static final Pattern VALUE = Pattern.compile("\\+?=.*", Pattern.DOTALL);

    private PlanFloor() {}

    /**
     * Why it may not run; nothing of what may.
     *
     * @param unknown as {@link #unknown} says of its action
     */
    static Optional<String> denial(Subject subject, Optional<String> unknown) {
        if (!subject.classes().contains(CommandClass.READ_ONLY)) {
            return Optional.of(
                    Classes.TABLE.readsInQuotes(subject.command())
                            ? "Only what is read-only runs; what stands in no quotes may be an option."
                            : "Only what is read-only runs.");
        }
        Optional<String> option = option(subject.command().words());
        boolean judgedByWhatItRuns = subject.command().runs() != Runs.NO_TEXT;
        return (judgedByWhatItRuns || Classes.TABLE.isPlain(subject.command()) ? option : option.or(() -> unknown))
                .map("Only what is read-only runs, and `%s` may change what this does. Leave it out."::formatted);
    }

    private static Optional<String> option(List<Word> words) {
        String program = words.getFirst().name();
        return words.stream()
                .skip(1)
                .map(word -> VALUE.matcher(word.text()).replaceFirst(""))
                .takeWhile(word -> !word.equals("rev-parse") && !word.equals("--"))
                .filter(word -> OPTION.matcher(program + " " + word).matches())
                .findFirst();
    }

    /** The first variable that is set for any of the commands, by the caller or the text, and that is not known. */
    static Optional<String> unknown(Action action) {
        Stream<String> byText = action.script().commands().stream().flatMap(PlanFloor::exported);
        return Stream.concat(action.env().stream().sorted(), byText)
                .filter(name -> !HARMLESS.matcher(name).matches() && !Hijacks.names(name))
                .findFirst();
    }

    private static Stream<String> exported(SimpleCommand command) {
        return Stream.of(
                        command.assignments().stream().map(Assignment::name),
                        declared(command.words()),
                        command.behind().stream().flatMap(PlanFloor::ofRunner))
                .flatMap(names -> names);
    }

    private static Stream<String> declared(List<Word> words) {
        String program = words.getFirst().text();
        boolean exports = program.equals("export")
                || (DECLARING.matcher(program).matches()
                        && words.stream()
                                .anyMatch(word -> EXPORTING.matcher(word.text()).matches()));
        return exports
                ? words.stream()
                        .skip(1)
                        .map(word -> VALUE.matcher(word.text()).replaceFirst(""))
                        .filter(name -> NAME.matcher(name).matches())
                : Stream.empty();
    }

    /** {@code env NAME=value}, and {@code sudo}, which takes the same. */
    private static Stream<String> ofRunner(List<Word> words) {
        Runner runner = Runner.of(words.getFirst());
        return runner == null
                ? Stream.empty()
                : words.stream()
                        .limit(words.size() - runner.inner(words).size())
                        .filter(Runner::isAssignment)
                        .map(word -> VALUE.matcher(word.text()).replaceFirst(""));
    }
}
