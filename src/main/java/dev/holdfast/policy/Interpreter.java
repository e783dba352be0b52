package dev.holdfast.policy;

import dev.holdfast.shell.SimpleCommand;
import dev.holdfast.shell.SimpleCommand.Runs;
import dev.holdfast.shell.program.Runner;
import dev.holdfast.shell.program.ShellWords;
import dev.holdfast.shell.word.Word;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Shells and interpreters: whether what they get is run, or is data. */
final class Interpreter {
    private static final Pattern INTERPRETER =
            Pattern.compile("(i?python|pypy|perl|ruby|irb|pry|node|nodejs|ts-node|tsx|php|lua|deno|bun|pwsh|powershell"
                    + "|osascript|julia|jshell|R|Rscript|tclsh)[0-9.]*");
    /** What takes the text that it runs by {@code -f}. */
    private static final Set<String> OF_FILE = Set.of("awk", "gawk", "mawk", "nawk", "make", "gmake");

    private static final Pattern FILE_OPTION = Pattern.compile("(?s)(?:-[a-zA-Z]*f|--(?:make)?file(?:=|$))(.*)");
    /** What runs a program that follows, and is no runner to the rest. */
    private static final Pattern LAUNCHES = Pattern.compile(
            "npx|bunx|pnpx|uvx|(?:uv|poetry|pipenv|pdm|rye) run|(?:bundle|npm|pnpm) exec|(?:pnpm|yarn) dlx");
    /** Of interpreters, whose script stands behind {@code run}. */
    private static final Set<String> RUNNING = Set.of("deno", "bun");

    private static final Pattern VARIABLE = Pattern.compile("\\$(?:\\w+|\\{\\w+})");
    /** What else is expanded, and what is run in its place. */
    private static final Pattern EXPANDS = Pattern.compile("[$`]|[<>]\\(");
    /** Of interpreters, behind which a text stands. */
    private static final Pattern TEXT_OPTION = Pattern.compile("-[a-zA-Z]*[ce]");

    private Interpreter() {}

    /** A shell that reads its input or a word that only running tells; an interpreter likewise, without a script. */
    static boolean runsWhatItGets(SimpleCommand command) {
        List<Word> launched = launched(command.words());
        Word program = launched.getFirst();
        List<Word> words = launched.subList(1, launched.size());
        boolean isInput =
                program.text().equals("-") && command.words().getFirst().name().equals("uv");
        if (isInput || program.text().startsWith("$(") || program.text().startsWith("`")) {
            return true;
        }
        if (OF_FILE.contains(program.name())) {
            return Runner.behind(FILE_OPTION, words).stream().anyMatch(ShellWords::isInput);
        }
        boolean evaluates = program.text().equals("eval");
        boolean isShell = program.name().equals("eval") || ShellWords.isNamed(program) || ShellWords.isShell(launched);
        if (!isShell && !INTERPRETER.matcher(program.name()).matches()) {
            return false;
        }
        // Behind a script stand its arguments, which are data.
        int options = behindOptions(words, 0);
        boolean runs =
                options < words.size() && words.get(options).text().equals("run") && RUNNING.contains(program.name());
        int script = runs ? behindOptions(words, options + 1) : options;
        List<Word> before = words.subList(0, script);
        boolean given = takesScript(program, before, isShell);
        boolean mayBeInput = evaluates
                ? words.stream().anyMatch(word -> !word.known())
                : before.stream().anyMatch(word -> !word.known())
                        || (script < words.size()
                                && (given
                                        ? mayBeInput(words.get(script))
                                        : !words.get(script).known()));
        if (mayBeInput || (command.isBehind("xargs") && command.isFilledIn())) {
            return true;
        }
        if (isShell) {
            boolean readsFile = words.stream().anyMatch(word -> !word.text().equals("-") && ShellWords.isInput(word));
            boolean isLaunched = launched.size() < command.words().size();
            return command.runs() == Runs.UNKNOWN_TEXT
                    || readsFile
                    || (isLaunched && ShellWords.of(launched).readsInput());
        }
        // Of these the text is an operand behind any number of options.
        boolean hasText = !Set.of("pwsh", "powershell").contains(program.name())
                && words.subList(0, options).stream()
                        .anyMatch(word -> word.text().matches("-[a-zA-Z]*[cemnp].*"));
        return !hasText && (script >= words.size() || ShellWords.isInput(words.get(script)));
    }

    /** The words of the program that a launcher runs; else those that are given. */
    private static List<Word> launched(List<Word> words) {
        String name = words.getFirst().name();
        int at = behindOptions(words, 1);
        if (at < words.size()
                && LAUNCHES.matcher(name + " " + words.get(at).text()).matches()) {
            at = behindOptions(words, at + 1);
        } else if (!LAUNCHES.matcher(name).matches()) {
            return words;
        }
        // It may be the value of the option before it.
        while (at + 1 < words.size()
                && words.get(at - 1).text().startsWith("-")
                && !INTERPRETER.matcher(words.get(at).name()).matches()
                && !ShellWords.isNamed(words.get(at))) {
            at = behindOptions(words, at + 1);
        }
        return at < words.size() ? words.subList(at, words.size()) : words;
    }

    private static int behindOptions(List<Word> words, int from) {
        int at = from;
        while (at < words.size() && words.get(at).text().matches("(?s)-.+")) {
            at++;
        }
        return at;
    }

    /** Whether a script, or a text, stands behind these words: behind another option it may be the value of that. */
    private static boolean takesScript(Word program, List<Word> before, boolean isShell) {
        String last = before.isEmpty() ? "" : before.getLast().text();
        boolean ofText = !RUNNING.contains(program.name()) && !program.name().startsWith("php");
        return !last.startsWith("-")
                || (isShell
                        ? last.matches("-[euvx]+")
                        : ofText && TEXT_OPTION.matcher(last).matches());
    }

    /** Whether a word that only running tells may name the input, be an option, or hold what another command prints. */
    private static boolean mayBeInput(Word word) {
        List<String> told = List.of(VARIABLE.split(word.text(), -1));
        String all = String.join("", told);
        return !word.known()
                && (all.startsWith("-")
                        || EXPANDS.matcher(all).find()
                        || ShellWords.mayBeInput(told.getFirst(), told.getLast()));
    }
}
