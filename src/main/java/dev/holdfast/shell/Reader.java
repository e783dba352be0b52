package dev.holdfast.shell;

import dev.holdfast.shell.Script.HereDocument;
import dev.holdfast.shell.SimpleCommand.Assignment;
import dev.holdfast.shell.SimpleCommand.Runs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Lists the commands of a text, and of the texts for other shells in it. Used once. */
final class Reader {
    /** Texts within texts: {@code sh -c "sh -c …"}. */
    private static final int MAX_NESTED = 8;

    /** Commands of one text, after which it counts as not understood. */
    private static final int MAX_COMMANDS = 5000;

    private final List<SimpleCommand> commands = new ArrayList<>();
    private final List<Assignment> assignments = new ArrayList<>();
    private final List<HereDocument> hereDocuments = new ArrayList<>();
    private final Map<String, Runnable> functions = new HashMap<>();
    private final Set<String> called = new HashSet<>();
    private final Variables variables;
    private boolean understood = true;
    private boolean callsItself;
    private int nested;
    private boolean byDefault;
    private boolean hasDefaults;
    private @Nullable String directory = "";

    Reader(Map<String, String> environment) {
        variables = new Variables(environment);
    }

    Script script() {
        return new Script(
                List.copyOf(commands), List.copyOf(assignments), understood, List.copyOf(hereDocuments), callsItself);
    }

    /** A command's arguments, whose places are those in all of them with one character between two. */
    void arguments(List<String> argv) {
        List<Word> words = new ArrayList<>();
        int start = 0;
        for (String argument : argv) {
            words.add(Word.of(argument, start));
            start += argument.length() + 1;
        }
        run(words, new Parts(Place.TOP));
    }

    void text(String text) {
        int[] places = new int[text.length() + 1];
        for (int i = 0; i < places.length; i++) {
            places[i] = i;
        }
        new TextReader(this, text, places).read(Place.TOP);
    }

    private void nested(Word text, Place place) {
        if (!text.known() || nested >= MAX_NESTED) {
            understood &= !text.known();
            return;
        }
        int[] places = Arrays.copyOf(text.places(), text.text().length() + 1);
        places[text.text().length()] = text.end();
        nested++;
        apart(() -> new TextReader(this, text.text(), places).read(place));
        nested--;
    }

    int count() {
        return commands.size();
    }

    /** What was listed after the first so many. */
    List<SimpleCommand> since(int before) {
        return List.copyOf(commands.subList(before, commands.size()));
    }

    Variables variables() {
        return variables;
    }

    void notUnderstood() {
        understood = false;
    }

    void assigned(Assignment assignment) {
        assignments.add(assignment);
    }

    void hereDocument(HereDocument body) {
        hereDocuments.add(body);
    }

    /** Once as it stands, and once more if that matters, with the word of each {@code ${X:-word}} in its place. */
    void bothWays(Runnable reading) {
        boolean outside = hasDefaults;
        hasDefaults = false;
        reading.run();
        if (hasDefaults && !byDefault) {
            byDefault = true;
            reading.run();
            byDefault = false;
        }
        hasDefaults = outside;
    }

    /** Whether defaults stand for themselves now. Who asks has found one. */
    boolean byDefault() {
        hasDefaults = true;
        return byDefault;
    }

    /**
     * @param body reads it
     * @param callsItselfUnawaited through a pipe or with {@code &}
     */
    void function(String name, Runnable body, boolean callsItselfUnawaited) {
        functions.put(name, body);
        callsItself |= callsItselfUnawaited;
    }

    /** What it does to the working directory is its own. */
    void apart(Runnable reading) {
        String outside = directory;
        reading.run();
        directory = outside;
    }

    /** Lists a command, or what it runs in its place. */
    void run(List<Word> words, Parts parts) {
        if (commands.size() >= MAX_COMMANDS) {
            understood = false;
            return;
        }
        Word program = words.getFirst();
        Place inside = parts.inside(words);
        Runner runner = Runner.of(program);
        List<Word> inner = runner == null ? List.of() : runner.inner(words);
        if (!inner.isEmpty()) {
            Parts within = new Parts(inside);
            within.assignments.addAll(parts.assignments);
            run(program.name().equals("xargs") ? handedOver(inner, parts) : inner, within);
        } else {
            list(words, parts, runs(words, parts));
            Runner.ofFind(words).forEach(found -> run(found, new Parts(inside)));
        }
        Runner.texts(words).forEach(text -> nested(text, inside));
    }

    /** With the words of the input, where these are known. */
    private static List<Word> handedOver(List<Word> words, Parts parts) {
        Word input = parts.input;
        return input == null || !input.known() ? words : Place.plus(words, input.parts());
    }

    void list(List<Word> words, Parts parts, Runs runs) {
        commands.add(new SimpleCommand(
                List.copyOf(words),
                parts.place.behind(),
                List.copyOf(parts.assignments),
                List.copyOf(parts.redirects),
                Place.plus(parts.place.from(), parts.from),
                runs,
                directory));
        if (words.getFirst().text().matches("cd|pushd|chdir")) {
            directory = directoryAfter(words);
        }
    }

    private Runs runs(List<Word> words, Parts parts) {
        Word program = words.getFirst();
        if (!program.known() || isGlob(program) || program.text().equals("eval")) {
            return Runs.UNKNOWN_TEXT;
        }
        if (functions.containsKey(program.text())) {
            call(words);
            return Runs.FUNCTION;
        }
        if (!ShellWords.isShell(program)) {
            return Runs.NO_TEXT;
        }
        ShellWords shell = ShellWords.of(words);
        Optional<Word> text = shell.takesText()
                ? shell.text()
                : shell.readsInput() ? Optional.ofNullable(parts.input) : Optional.empty();
        Place inside = parts.inside(words);
        List<Word> parameters = shell.parameters();
        boolean more = inside.behind().stream()
                .anyMatch(outer -> outer.getFirst().name().equals("xargs"));
        List<Word> all = more ? Place.plus(parameters, List.of(Word.unknown())) : parameters;
        Optional<Word> printed = shell.readsInput() && text.isEmpty() ? printed(inside.from()) : Optional.empty();
        text.or(() -> printed).ifPresent(known -> variables.within(all, () -> nested(known, inside)));
        boolean unknown = text.map(known -> !known.known()).orElse(shell.readsInput() || shell.takesText());
        return unknown ? Runs.UNKNOWN_TEXT : text.isPresent() ? Runs.KNOWN_TEXT : Runs.NO_TEXT;
    }

    /** {@code [} is none. */
    private static boolean isGlob(Word program) {
        return program.pattern() && program.text().length() > 1;
    }

    /** Reads the body once more with these parameters; a function that calls itself does it as it was defined. */
    private void call(List<Word> words) {
        String name = words.getFirst().text();
        Runnable body = functions.get(name);
        if (body != null && words.size() > 1 && commands.size() < MAX_COMMANDS && called.add(name)) {
            variables.within(words, body);
            called.remove(name);
        }
    }

    /** What {@code echo} or {@code printf} print, if no other command does. */
    private static Optional<Word> printed(List<SimpleCommand> from) {
        if (from.size() != 1 || !from.getFirst().words().getFirst().text().matches("echo|printf")) {
            return Optional.empty();
        }
        List<Word> words = from.getFirst().words().stream()
                .skip(1)
                .dropWhile(word -> word.text().matches("-[neE]+"))
                .toList();
        return words.isEmpty() ? Optional.empty() : Optional.of(Runner.joined(words));
    }

    private @Nullable String directoryAfter(List<Word> words) {
        List<Word> operands = words.stream()
                .skip(1)
                .filter(word -> !word.text().startsWith("-") || word.text().equals("-"))
                .toList();
        if (operands.isEmpty()) {
            return variables.get("HOME").map(home -> home.getFirst().text()).orElse(null);
        }
        Word to = operands.getFirst();
        if (!to.known()
                || to.pattern()
                || to.text().equals("-")
                || (directory == null && !to.text().startsWith("/"))) {
            return null;
        }
        return to.text().startsWith("/") || "".equals(directory) ? to.text() : directory + "/" + to.text();
    }
}
