package dev.holdfast.shell;

import dev.holdfast.shell.Script.HereDocument;
import dev.holdfast.shell.SimpleCommand.Assignment;
import dev.holdfast.shell.SimpleCommand.Runs;
import dev.holdfast.shell.grammar.Keywords;
import dev.holdfast.shell.grammar.Node;
import dev.holdfast.shell.grammar.Source;
import dev.holdfast.shell.program.HandedOver;
import dev.holdfast.shell.program.Printed;
import dev.holdfast.shell.program.Runner;
import dev.holdfast.shell.program.ShellWords;
import dev.holdfast.shell.word.Variables;
import dev.holdfast.shell.word.Word;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Lists the commands of a text, and of the texts for other shells in it. Used once. */
final class Reader {
    /** Texts within texts: {@code sh -c "sh -c …"}. */
    private static final int MAX_NESTED = 8;

    private static final int MAX_COMMANDS = 5000;
    /** Programs that run one another: {@code sudo nice nohup …}. */
    private static final int MAX_BEHIND = 200;
    /** Each command is judged by all that runs it: of an {@code alias} of thousands of names, each of them. */
    private static final int MAX_WORDS_BEHIND = 100_000;

    private final List<SimpleCommand> commands = new ArrayList<>();
    private final List<Assignment> assignments = new ArrayList<>();
    private final Asides asides = new Asides();
    private final List<HereDocument> hereDocuments = new ArrayList<>();
    private final Aliases aliases = new Aliases();
    /** What commands print of which that is known. */
    private final IdentityHashMap<SimpleCommand, Word> printed = new IdentityHashMap<>();

    private final WorkingDirectory directory = new WorkingDirectory();
    private final Variables variables;
    private final Functions functions;
    private boolean understood = true;
    private boolean unread;
    private boolean bomb;
    private int nested;
    private int wordsBehind;
    private boolean byDefault;
    private boolean hasDefaults;

    Reader(Map<String, String> environment) {
        variables = new Variables(environment);
        functions = new Functions(variables, directory);
    }

    Script script() {
        return new Script(
                List.copyOf(commands),
                List.copyOf(assignments),
                understood,
                unread,
                asides.words(),
                asides.comments(),
                List.copyOf(hereDocuments),
                bomb);
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
        TextReader.read(this, Source.outermost(text), Place.TOP);
    }

    private void nested(Word program, Word text, Place place) {
        Runnable reading = () -> within(Source.of(text), place);
        if (WorkingDirectory.readsHere(program)) {
            directory.following(reading);
        } else {
            apart(reading);
        }
    }

    /** A text within one. */
    void within(Source source, Place place) {
        deeper(() -> TextReader.read(this, source, place));
    }

    private void deeper(Runnable reading) {
        if (nested >= MAX_NESTED) {
            unread();
            return;
        }
        nested++;
        reading.run();
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

    /** There is more of it than is looked at. */
    void unread() {
        understood = false;
        unread = true;
    }

    void assigned(Assignment assignment) {
        assignments.add(assignment);
    }

    Asides asides() {
        return asides;
    }

    void hereDocument(HereDocument one) {
        hereDocuments.add(one);
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

    /** @param isBomb see {@link Node#isBomb} */
    void function(String name, Runnable body, boolean isBomb) {
        bomb |= isBomb;
        functions.define(name, body);
    }

    /** What it does to the working directory is its own. */
    void apart(Runnable reading) {
        directory.apart(reading);
    }

    /** Lists a command, or what it runs in its place. */
    void run(List<Word> given, Parts parts) {
        List<List<Word>> outer = parts.place.behind();
        wordsBehind += outer.stream().mapToInt(List::size).sum();
        if (commands.size() >= MAX_COMMANDS || outer.size() >= MAX_BEHIND || wordsBehind > MAX_WORDS_BEHIND) {
            unread();
            return;
        }
        List<Word> words = Runner.split(given);
        Word program = words.getFirst();
        if (program.text().matches("=\\w.*")) { // to zsh, the program of that name
            run(Place.plus(List.of(program.from(1)), words.subList(1, words.size())), parts);
            return;
        }
        if (aliases.expand(words, expanded -> deeper(() -> run(expanded, parts)))) {
            return;
        }
        Place inside = parts.inside(words);
        Runner runner = Runner.of(program);
        List<Word> inner = runner == null ? List.of() : runner.inner(words);
        if (!inner.isEmpty()) {
            Parts within = new Parts(inside);
            within.assignments.addAll(parts.assignments);
            Word input = program.name().equals("xargs") ? input(parts) : null;
            (input == null ? List.of(inner) : HandedOver.runs(words, inner, input, variables))
                    .forEach(one -> runInner(words, one, within));
        }
        // What only has the name of a runner, or of a shell, may do something else besides.
        if (inner.isEmpty() || program.isElsewhere() || ShellWords.isShell(words)) {
            list(words, parts, runs(words, parts));
            HandedOver.ofFind(words).forEach(found -> run(found, new Parts(inside)));
        }
        List<Word> texts = Runner.texts(given);
        texts.stream().filter(Word::known).forEach(text -> nested(program, text, inside));
        texts.stream() // one that nobody knows may be any command; eval has said so itself
                .filter(text -> !text.known() && !program.text().equals("eval"))
                .limit(1)
                .forEach(text -> list(List.of(text), new Parts(inside), Runs.UNKNOWN_TEXT));
        List<Word> behind =
                words.stream().skip(1).dropWhile(Runner::isAssignment).toList();
        if (Keywords.goesOn(program) && !behind.isEmpty()) {
            run(behind, parts);
        }
    }

    private void runInner(List<Word> words, List<Word> inner, Parts within) {
        if (WorkingDirectory.runsHere(words.getFirst())) {
            directory.following(() -> run(inner, within));
            return;
        }
        Word to = Runner.directory(words);
        apart(() -> {
            if (to != null) {
                directory.to(to, variables);
            }
            run(inner, within);
        });
    }

    /** @param rough what may be the commands of a text that follows no grammar */
    void runUnlessThere(List<Parts> rough) {
        Set<String> there = new HashSet<>();
        commands.forEach(command -> there.add(command.words() + " " + command.redirects()));
        rough.stream()
                .filter(parts -> there.add(parts.words + " " + parts.redirects))
                .forEach(parts -> run(parts.words, parts));
    }

    void list(List<Word> words, Parts parts, Runs runs) {
        SimpleCommand command = new SimpleCommand(
                List.copyOf(words),
                parts.place.behind(),
                List.copyOf(parts.assignments),
                List.copyOf(parts.redirects),
                Place.plus(parts.place.from(), parts.from),
                parts.input,
                runs,
                directory.get());
        commands.add(command);
        Word output = Printed.by(words, input(parts));
        if (output != null) {
            printed.put(command, output);
        }
        if (words.getFirst().text().equals("alias")) {
            aliases.define(words);
        }
        directory.move(words, variables);
    }

    /** What it gets as its input, if that is known. */
    private @Nullable Word input(Parts parts) {
        List<SimpleCommand> from = parts.place.from();
        return parts.input != null ? parts.input : from.size() == 1 ? printed.get(from.getFirst()) : null;
    }

    private Runs runs(List<Word> words, Parts parts) {
        Word program = words.getFirst();
        boolean glob = program.pattern() && program.text().length() > 1; // [ is none
        if (!program.known() || glob || program.text().equals("eval")) {
            return Runs.UNKNOWN_TEXT;
        }
        if (functions.has(program.text())) {
            if (commands.size() < MAX_COMMANDS) {
                functions.call(words);
            }
            return Runs.FUNCTION;
        }
        if (!ShellWords.isShell(words)) {
            return Runs.NO_TEXT;
        }
        ShellWords shell = ShellWords.of(words);
        Place inside = parts.inside(words);
        Word text = shell.takesText() ? shell.text().orElse(null) : shell.readsInput() ? parts.input : null;
        boolean unknown = text == null ? shell.runsOther() : !text.known();
        Word read = text == null && unknown && inside.from().size() == 1
                ? printed.get(inside.from().getFirst())
                : text;
        List<Word> parameters = shell.parameters();
        boolean more = inside.behind().stream()
                .anyMatch(outer -> outer.getFirst().name().equals("xargs"));
        List<Word> all = more ? Place.plus(parameters, List.of(Word.unknown())) : parameters;
        if (read != null && read.known()) {
            variables.within(all, () -> nested(program, read, inside));
        }
        return unknown ? Runs.UNKNOWN_TEXT : text != null && !program.isElsewhere() ? Runs.KNOWN_TEXT : Runs.NO_TEXT;
    }
}
