package dev.holdfast.policy.classes;

import dev.holdfast.policy.classes.Arguments.Expected;
import dev.holdfast.policy.classes.Arguments.Expected.Where;
import dev.holdfast.shell.Redirect;
import dev.holdfast.shell.SimpleCommand;
import dev.holdfast.shell.SimpleCommand.Runs;
import dev.holdfast.shell.program.Printed;
import dev.holdfast.shell.program.Runner;
import dev.holdfast.shell.program.ShellWords;
import dev.holdfast.shell.word.Word;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The classes of commands, by the table {@code classes.txt}, which says how it is read. */
public final class Classes {
    private static final Pattern BLANKS = Pattern.compile("\\s+");
    private static final Pattern COMMA = Pattern.compile(",");
    private static final Set<String> AWK = Set.of("awk", "gawk", "mawk", "nawk");
    public static final Classes TABLE = new Classes();

    private final Map<String, List<Line>> lines = new HashMap<>();
    private final Map<String, Values> withValue = new HashMap<>();
    private final Set<String> plain = new HashSet<>();

    /**
     * A line of the table.
     *
     * @param words behind the program
     * @param adds whether its classes come to those of the lines before it
     * @param subcommands how many of its words are, from the first one on: two in {@code docker compose ps}
     */
    private record Line(List<Expected> words, boolean adds, Set<CommandClass> classes, int subcommands) {
        /** Cut short, or a letter, it may be another option, or a value: no guess makes harmless. */
        boolean guesses() {
            return !classes.contains(CommandClass.READ_ONLY);
        }
    }

    private Classes() {
        try (BufferedReader table = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(Classes.class.getResourceAsStream("classes.txt")), StandardCharsets.UTF_8))) {
            table.lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .forEach(this::read);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(String line) {
        if (line.startsWith("plain ")) {
            alternatives(words(line).getLast()).forEach(plain::add);
            return;
        }
        int colon = line.indexOf(" : ");
        List<String> left = words(line.substring(0, colon));
        List<String> right = words(line.substring(colon + 3));
        if (Set.of("values", "getopt").contains(left.getFirst())) {
            Values values = Values.of(right, left.getFirst().equals("getopt"));
            Stream<Map<String, Values>> of = left.size() == 2
                    ? Stream.of(withValue)
                    : alternatives(left.get(1))
                            .map(program -> withValue.computeIfAbsent(program, none -> Values.of(List.of(), false)))
                            .map(Values::behind);
            of.forEach(known -> alternatives(left.getLast()).forEach(name -> known.put(name, values)));
            return;
        }
        boolean adds = right.getFirst().equals("+");
        Set<CommandClass> classes = EnumSet.noneOf(CommandClass.class);
        right.stream()
                .skip(adds ? 1 : 0)
                .map(name -> CommandClass.valueOf(name.toUpperCase(Locale.ROOT)))
                .forEach(classes::add);
        List<Expected> rest = left.stream().skip(1).map(Expected::of).toList();
        int subcommands = (int) rest.stream().takeWhile(Classes::isSubcommand).count();
        Line read = new Line(rest, adds, classes, subcommands);
        alternatives(left.getFirst())
                .forEach(program -> lines.computeIfAbsent(program, none -> new ArrayList<>())
                        .add(read));
    }

    private static List<String> words(String text) {
        return BLANKS.splitAsStream(text.strip()).toList();
    }

    private static Stream<String> alternatives(String word) {
        return COMMA.splitAsStream(word);
    }

    public Set<CommandClass> of(SimpleCommand command) {
        Set<CommandClass> classes = own(command);
        for (List<Word> outer : command.behind()) {
            apply(outer, true, classes);
        }
        for (Redirect redirect : command.redirects()) {
            String target = redirect.target().text();
            if (target.startsWith("/dev/tcp/") || target.startsWith("/dev/udp/")) {
                classes.add(CommandClass.NETWORK);
            }
            if (redirect.writes() && !Arguments.NOWHERE.matcher(target).matches()) {
                classes.add(CommandClass.WRITES);
                apply(List.of(Word.of("tee"), redirect.target()), true, classes);
            }
        }
        if (Hijacks.setsOne(command)
                || command.words().stream().anyMatch(Hijacks::isPrompt)
                || command.behind().stream().flatMap(List::stream).anyMatch(Hijacks::isNamed)) {
            classes.add(CommandClass.UNKNOWN);
        }
        return CommandClass.settled(classes);
    }

    /** Whether it would only read if all of its words were in quotes. */
    public boolean readsInQuotes(SimpleCommand command) {
        return of(command.withWords(Arguments.inQuotes(command.words()))).contains(CommandClass.READ_ONLY);
    }

    /** Whether no variable but those that {@link Hijacks} names has its program run or write something. */
    public boolean isPlain(SimpleCommand command) {
        return plain.contains(command.words().getFirst().name());
    }

    /** Whether the table knows the program by what its first operand names, as {@code git push}. */
    public boolean hasSubcommands(String program) {
        return lines.getOrDefault(program, List.of()).stream().anyMatch(line -> line.subcommands() > 0);
    }

    /** Whether a word is what the option before it is given. */
    boolean isValue(List<Word> words, int at) {
        return values(words.getFirst().name()).areTakenBy(words.get(at - 1).text());
    }

    private Set<CommandClass> own(SimpleCommand command) {
        Word program = command.words().getFirst();
        if (command.runs() == Runs.UNKNOWN_TEXT || !program.known()) {
            Set<CommandClass> unknown = EnumSet.of(CommandClass.UNKNOWN);
            if (ShellWords.isShell(command.words()) && !ShellWords.isNamed(program)) { // `sudo -s`
                unknown.add(CommandClass.WRITES);
                apply(command.words(), true, unknown);
            }
            return unknown;
        }
        boolean runsOthers = command.runs() == Runs.KNOWN_TEXT || command.runs() == Runs.FUNCTION;
        Set<CommandClass> classes = EnumSet.of(runsOthers ? CommandClass.READ_ONLY : CommandClass.WRITES);
        if (command.runs() == Runs.KNOWN_TEXT) {
            apply(command.words(), true, classes);
            if (command.isFilledIn()) {
                classes.add(CommandClass.UNKNOWN);
            }
        } else {
            List<Word> words = withWhatComes(command);
            apply(words, false, classes);
            boolean known = !program.name().equals("sed") || SedScript.isKnown(words);
            if (!known || (AWK.contains(program.name()) && !isFirstKnown(words))) {
                classes.add(CommandClass.WRITES);
            }
        }
        if (!runsOthers && program.isElsewhere()) {
            classes.add(CommandClass.WRITES);
        }
        return classes;
    }

    /** Of the operands: what {@code awk} does. */
    private boolean isFirstKnown(List<Word> words) {
        int at = 1;
        while (at < words.size() && words.get(at).text().startsWith("-")) {
            at += isValue(words, at + 1) ? 2 : 1;
        }
        return at >= words.size() || words.get(at).known();
    }

    /** With two words more for each xargs and find that adds some which are not told, and a script on its input. */
    private List<Word> withWhatComes(SimpleCommand command) {
        List<Word> all = new ArrayList<>(command.words());
        command.behind().stream()
                .flatMap(outer -> Stream.ofNullable(added(outer, command)))
                .forEach(word -> all.addAll(List.of(word, word)));
        Word input = input(command);
        if (input != null && values(all.getFirst().name()).ofInput()) {
            all.add(input);
        }
        return all;
    }

    /** A word for each xargs in front of a command that adds some which are not told. */
    public static List<Word> addedByXargs(SimpleCommand command) {
        return command.behind().stream()
                .filter(outer -> outer.getFirst().name().equals("xargs") && added(outer, command) != null)
                .map(_ -> Arguments.ANY)
                .toList();
    }

    private Values values(String program) {
        return withValue.getOrDefault(program, Values.NONE);
    }

    /** A path, or any word; null where it adds none, or one that is known. */
    private static @Nullable Word added(List<Word> outer, SimpleCommand command) {
        List<Word> own = Runner.own(outer);
        return switch (outer.getFirst().name()) {
            case "find" -> hasWord(own, "[+]") ? Word.unknown() : null;
            case "xargs" ->
                hasWord(own, "(?s)-[iI].*|--replace.*")
                        ? null
                        : hasWord(own, "(?s)-[0rt]*a.*|--arg-file.*") ? Arguments.ANY : ofInput(command);
            default -> null;
        };
    }

    private static @Nullable SimpleCommand source(SimpleCommand command) {
        return command.from().size() == 1 ? command.from().getFirst() : null;
    }

    /** Null where that is not known. */
    private static @Nullable Word input(SimpleCommand command) {
        SimpleCommand source = source(command);
        Word printed = source == null ? null : Printed.by(source.words(), source.input());
        return command.input() == null ? printed : command.input();
    }

    private static @Nullable Word ofInput(SimpleCommand command) {
        SimpleCommand source = source(command);
        Word input = input(command);
        if (input != null && input.known()) {
            return null;
        }
        // It begins each path with where it was told to begin.
        boolean paths = source != null
                && source.words().getFirst().name().equals("find")
                && !hasWord(source.words(), "-(?:printf|exec|execdir)");
        return paths ? Word.unknown() : Arguments.ANY;
    }

    private static boolean hasWord(List<Word> words, String pattern) {
        return words.stream().anyMatch(word -> word.text().matches(pattern));
    }

    /** @param onlyAdding whether only lines that add are held against the words */
    private void apply(List<Word> words, boolean onlyAdding, Set<CommandClass> classes) {
        List<Line> known = lines.get(words.getFirst().name());
        if (known == null) {
            return;
        }
        Values values = values(words.getFirst().name());
        Arguments arguments = Arguments.of(words, values);
        boolean may = false;
        for (Line line : known) {
            if ((line.adds() || !onlyAdding) && arguments.match(line.words(), line.guesses())) {
                if (!line.adds()) {
                    classes.clear();
                }
                classes.addAll(line.classes());
                may &= line.adds();
            } else {
                may |= line.guesses() && arguments.mayMatch(line.words());
            }
        }
        if (classes.contains(CommandClass.READ_ONLY) && !onlyAdding) {
            classes.addAll(may ? Set.of(CommandClass.WRITES) : Set.of());
            for (int level = 0; level < 2 && arguments.hasOptions(); level++) {
                classes.addAll(ofSubcommand(known, level, Arguments.ofGreedy(words, values, level)));
            }
        }
    }

    /** What an option may hide whose value looks like a subcommand: {@code npm -w ls publish}. */
    private static Set<CommandClass> ofSubcommand(List<Line> lines, int level, Arguments arguments) {
        Set<CommandClass> classes = Set.of();
        for (Line line : lines) {
            if (line.subcommands() > level && arguments.match(line.words(), line.guesses())) {
                classes = line.classes();
            }
        }
        return classes;
    }

    private static boolean isSubcommand(Expected word) {
        return word.where() == Where.NEXT
                && word.alternatives().stream()
                        .anyMatch(one -> Character.isLetter(one.pattern().charAt(0)));
    }
}
