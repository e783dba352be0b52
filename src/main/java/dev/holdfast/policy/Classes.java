package dev.holdfast.policy;

import dev.holdfast.shell.Redirect;
import dev.holdfast.shell.SimpleCommand;
import dev.holdfast.shell.SimpleCommand.Runs;
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

/** The classes of commands, by the table {@code classes.txt}, which says how it is read. */
final class Classes {
    private static final Pattern BLANKS = Pattern.compile("\\s+");
    private static final Pattern COMMA = Pattern.compile(",");
    private static final Pattern BEHIND_NAME = Pattern.compile("(?s)=.*");
    private static final Pattern NOWHERE = Pattern.compile("/dev/(null|zero|full|tty|stdout|stderr|fd/\\d+)");
    private static final Pattern SYSTEM = Pattern.compile("(/usr)?(/local)?/s?bin/[^/]+");

    private static final String ANYWHERE = "any:";

    static final Classes TABLE = new Classes();

    private final Map<String, List<Line>> lines = new HashMap<>();
    private final Map<String, Set<String>> withValue = new HashMap<>();

    /**
     * A line of the table.
     *
     * @param words behind the program, each a list of alternatives
     * @param adds whether its classes come to those of the lines before it
     */
    private record Line(List<List<Wildcard>> words, boolean adds, Set<CommandClass> classes) {}

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
        int colon = line.indexOf(" : ");
        List<String> left = words(line.substring(0, colon));
        List<String> right = words(line.substring(colon + 3));
        if (left.getFirst().equals("values")) {
            alternatives(left.get(1)).forEach(program -> withValue.put(program, Set.copyOf(right)));
            return;
        }
        boolean adds = right.getFirst().equals("+");
        Set<CommandClass> classes = EnumSet.noneOf(CommandClass.class);
        right.stream()
                .skip(adds ? 1 : 0)
                .map(name -> CommandClass.valueOf(name.toUpperCase(Locale.ROOT)))
                .forEach(classes::add);
        List<List<Wildcard>> rest = left.stream().skip(1).map(Classes::pattern).toList();
        Line read = new Line(rest, adds, classes);
        alternatives(left.getFirst())
                .forEach(program -> lines.computeIfAbsent(program, none -> new ArrayList<>())
                        .add(read));
    }

    private static List<Wildcard> pattern(String word) {
        String readable = word.startsWith(ANYWHERE) ? word.replace('~', ' ') : word;
        return alternatives(readable).map(Wildcard::new).toList();
    }

    private static List<String> words(String text) {
        return BLANKS.splitAsStream(text.strip()).toList();
    }

    private static Stream<String> alternatives(String word) {
        return COMMA.splitAsStream(word);
    }

    Set<CommandClass> of(SimpleCommand command) {
        Set<CommandClass> classes = own(command);
        for (List<Word> outer : command.behind()) {
            apply(outer, true, classes);
            if (outer.stream().anyMatch(Hijacks::isNamed)) {
                classes.add(CommandClass.UNKNOWN);
            }
        }
        for (Redirect redirect : command.redirects()) {
            String target = redirect.target().text();
            if (target.startsWith("/dev/tcp/") || target.startsWith("/dev/udp/")) {
                classes.add(CommandClass.NETWORK);
            } else if (redirect.writes() && !NOWHERE.matcher(target).matches()) {
                classes.add(CommandClass.WRITES);
            }
        }
        if (Hijacks.setsOne(command) || command.words().stream().anyMatch(Hijacks::isPrompt)) {
            classes.add(CommandClass.UNKNOWN);
        }
        return CommandClass.settled(classes);
    }

    /** Whether the table knows the program by what its first operand names, as {@code git push}. */
    boolean hasSubcommands(String program) {
        return lines.getOrDefault(program, List.of()).stream()
                .filter(line -> !line.words().isEmpty())
                .flatMap(line -> line.words().getFirst().stream())
                .anyMatch(word -> Character.isLetter(word.pattern().charAt(0))
                        && !word.pattern().startsWith(ANYWHERE));
    }

    private Set<CommandClass> own(SimpleCommand command) {
        Word program = command.words().getFirst();
        boolean runsOthers = command.runs() == Runs.KNOWN_TEXT || command.runs() == Runs.FUNCTION;
        Set<CommandClass> classes = EnumSet.of(runsOthers ? CommandClass.READ_ONLY : CommandClass.WRITES);
        if (command.runs() == Runs.UNKNOWN_TEXT || !program.known()) {
            return EnumSet.of(CommandClass.UNKNOWN);
        }
        if (command.runs() == Runs.KNOWN_TEXT) {
            if (isFilledIn(command)) {
                classes.add(CommandClass.UNKNOWN);
            }
        } else {
            apply(command.words(), false, classes);
            if (program.name().equals("sed") && !SedScript.isKnown(command.words())) {
                classes.add(CommandClass.WRITES);
            }
        }
        if (!runsOthers
                && program.text().indexOf('/') >= 0
                && !SYSTEM.matcher(program.text()).matches()) {
            classes.add(CommandClass.WRITES);
        }
        return classes;
    }

    /** {@code xargs -I{} sh -c 'rm {}'}: the text is another one each time. */
    private static boolean isFilledIn(SimpleCommand command) {
        return (command.isBehind("xargs") || command.isBehind("find"))
                && command.words().stream()
                        .dropWhile(word -> !word.text().matches("-[a-z]*c"))
                        .skip(1)
                        .findFirst()
                        .filter(word -> word.text().contains("{}"))
                        .isPresent();
    }

    /** @param onlyAdding whether only lines that add are held against the words */
    private void apply(List<Word> words, boolean onlyAdding, Set<CommandClass> classes) {
        String program = words.getFirst().name();
        List<Line> known = lines.get(program);
        if (known == null) {
            return;
        }
        Arguments arguments = Arguments.of(words, withValue.getOrDefault(program, Set.of()));
        for (Line line : known) {
            // Cut short it may be another option, to a program that is no friend of getopt: none makes harmless.
            boolean cutShort = !line.classes().contains(CommandClass.READ_ONLY);
            if ((line.adds() || !onlyAdding) && arguments.match(line.words(), cutShort)) {
                if (!line.adds()) {
                    classes.clear();
                }
                classes.addAll(line.classes());
            }
        }
    }

    /**
     * The words behind a program.
     *
     * @param operands those that are no option, and no option's value
     * @param others all that do not begin with {@code -}
     */
    private record Arguments(List<String> operands, Set<String> options, List<String> others) {
        static Arguments of(List<Word> words, Set<String> withValue) {
            List<String> operands = new ArrayList<>();
            Set<String> options = new HashSet<>();
            List<String> others = new ArrayList<>();
            boolean over = false;
            boolean isValue = false;
            for (Word word : words.subList(1, words.size())) {
                String text = word.text();
                boolean option = !over && !isValue && text.length() > 1 && text.startsWith("-");
                if (option) {
                    options.add(text);
                    over = text.equals("--");
                } else {
                    others.add(text);
                    if (!isValue) {
                        operands.add(text);
                    }
                }
                isValue = option && takesNext(text, withValue);
            }
            return new Arguments(operands, options, others);
        }

        private static boolean takesNext(String option, Set<String> withValue) {
            return withValue.contains(option)
                    || (isLong(option) && withValue.stream().anyMatch(name -> name.startsWith(option)));
        }

        private static boolean isLong(String option) {
            return option.length() > 2 && option.startsWith("--");
        }

        /** @param cutShort whether a beginning of a long option is that option, as getopt_long(3) has it */
        boolean match(List<List<Wildcard>> words, boolean cutShort) {
            int operand = 0;
            for (List<Wildcard> word : words) {
                String pattern = word.getFirst().pattern();
                if (pattern.equals("!")) {
                    if (operand < operands.size()) {
                        return false;
                    }
                } else if (pattern.startsWith("-")) {
                    if (word.stream().noneMatch(option -> hasOption(option, cutShort))) {
                        return false;
                    }
                } else if (pattern.startsWith(ANYWHERE)) {
                    if (!hasAnywhere(word)) {
                        return false;
                    }
                } else if (operand >= operands.size() || !matches(word, operands.get(operand++))) {
                    return false;
                }
            }
            return true;
        }

        private static boolean matches(List<Wildcard> word, String text) {
            return word.stream().anyMatch(one -> one.matches(text));
        }

        private boolean hasAnywhere(List<Wildcard> word) {
            Wildcard first = new Wildcard(word.getFirst().pattern().substring(ANYWHERE.length()));
            return others.stream()
                    .anyMatch(other -> first.matches(other) || matches(word.subList(1, word.size()), other));
        }

        /** A letter may stand among others: {@code -rf}; a long one may have its value with it. */
        private boolean hasOption(Wildcard option, boolean cutShort) {
            String name = option.pattern();
            boolean letter = name.length() == 2 && !name.equals("--");
            return options.stream()
                    .anyMatch(given -> letter
                            ? !given.startsWith("--") && letters(given).indexOf(name.charAt(1)) >= 0
                            : option.matches(given)
                                    || given.startsWith(name + "=")
                                    || (cutShort
                                            && name.indexOf('=') < 0
                                            && isLong(given)
                                            && name.startsWith(
                                                    BEHIND_NAME.matcher(given).replaceFirst(""))));
        }

        private static String letters(String option) {
            int end = 1;
            while (end < option.length() && Character.isLetterOrDigit(option.charAt(end))) {
                end++;
            }
            return option.substring(1, end);
        }
    }
}
