package dev.holdfast.shell.program;

import dev.holdfast.shell.word.Cells;
import dev.holdfast.shell.word.Word;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Programs that run another one, which follows among their arguments: how their own options are passed over, by the
 * table {@code runners.txt}.
 *
 * @param letters short options that take a value
 * @param longOptions long ones that take it as the next word
 * @param operands words between the options and the program; below 0: in front of the options, if none is the first
 */
public record Runner(String letters, Set<String> longOptions, int operands) {
    private static final Pattern COLON = Pattern.compile(":");
    private static final Pattern COMMA = Pattern.compile(",");
    private static final Pattern BLANK = Pattern.compile(" ");
    private static final Pattern VALUE = Pattern.compile("(?s)=.*");
    private static final Map<String, Runner> BY_NAME = byName();

    /** Those that are given the text for a shell behind {@code -c}, or as their operand. */
    private static final Set<String> OF_TEXT_OPTION =
            Set.of("su", "runuser", "script", "flock", "capsh", "sg", "emulate");

    /** By itself, behind other letters, or with the text at it. */
    private static final Pattern TEXT_OPTION = Pattern.compile(
            "(?s)(?:-[a-zA-Z]*?c|--(?:session-)?c(?:o(?:m(?:m(?:a(?:nd?)?)?)?)?)?(?:=|$)|--se[a-z-]*(?:=|$))(.*)");

    private static final Pattern SPLIT_OPTION = Pattern.compile("(?s)(?:-[iv0]*S|--s[a-z-]*(?:=|$))(.*)");

    private static final Runner WATCH = new Runner("nq", Set.of("--interval", "--equexit"), 0);

    /** Options of these that set where the program runs. */
    private static final Map<String, Pattern> DIRECTORY = Map.of(
            "env", Pattern.compile("(?s)(?:-C|--c(?:h(?:d(?:ir?)?)?)?(?:=|$))(.*)"),
            "sudo", Pattern.compile("(?s)(?:-D|--chd(?:ir?)?(?:=|$))(.*)"),
            "run0", Pattern.compile("(?s)(?:-D|--chd(?:ir?)?(?:=|$))(.*)"));

    private static final Set<String> OF_TEXT = Set.of("watch", "eval", "trap", "parallel");

    private static Map<String, Runner> byName() {
        Map<String, Runner> all = new HashMap<>();
        try (BufferedReader table = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(Runner.class.getResourceAsStream("runners.txt")), StandardCharsets.UTF_8))) {
            table.lines()
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .map(line -> COLON.split(line, -1))
                    .forEach(line -> {
                        Set<String> longOptions = BLANK.splitAsStream(line[3].strip())
                                .map(name -> "--" + name)
                                .collect(Collectors.toUnmodifiableSet());
                        Runner runner = new Runner(line[2].strip(), longOptions, Integer.parseInt(line[1].strip()));
                        COMMA.splitAsStream(line[0].strip()).forEach(program -> all.put(program, runner));
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Map.copyOf(all);
    }

    public static @Nullable Runner of(Word program) {
        return program.known() ? BY_NAME.get(program.name()) : null;
    }

    /** The program it runs with its arguments; none where it runs nothing. */
    public List<Word> inner(List<Word> words) {
        if (words.getFirst().name().equals("ip")) {
            return ofIp(words);
        }
        boolean inFront =
                operands < 0 && words.size() > 1 && !words.get(1).text().startsWith("-");
        int at = afterOptions(words, inFront ? 1 - operands : 1);
        while (at < words.size()
                && (isAssignment(words.get(at)) || words.get(at).text().equals("!"))) {
            at++;
        }
        boolean looksUp = words.getFirst().name().equals("command")
                && words.stream().limit(at).anyMatch(word -> word.text().matches("-[pvV]*[vV]"));
        at += Math.max(0, operands);
        return looksUp || at >= words.size() ? List.of() : words.subList(at, words.size());
    }

    /** Of the words of one that runs another those in front of that. */
    public static List<Word> own(List<Word> words) {
        Runner runner = of(words.getFirst());
        return words.subList(
                0, words.size() - (runner == null ? 0 : runner.inner(words).size()));
    }

    /** As {@code env} reads them: the text of each {@code -S} as words in its place. */
    public static List<Word> split(List<Word> words) {
        Runner runner = of(words.getFirst());
        if (runner == null || !words.getFirst().name().equals("env")) {
            return words;
        }
        List<Word> all = new ArrayList<>(words.subList(0, 1));
        Deque<Word> rest = new ArrayDeque<>(words.subList(1, words.size()));
        while (!rest.isEmpty() && rest.getFirst().text().matches("(?s)-.*(?<!^--)")) {
            Word option = rest.removeFirst();
            Matcher splits = SPLIT_OPTION.matcher(option.text());
            if (!splits.matches()) {
                all.add(option);
                if (runner.takesNext(option.text()) && !rest.isEmpty()) {
                    all.add(rest.removeFirst());
                }
            } else if (!splits.group(1).isEmpty() || !rest.isEmpty()) {
                Word text = splits.group(1).isEmpty() ? rest.removeFirst() : option.from(splits.start(1));
                text.parts().reversed().forEach(rest::addFirst);
            }
        }
        all.addAll(rest);
        return all;
    }

    /** {@code ip netns exec NAME program}; of all of them it takes no name. */
    private static List<Word> ofIp(List<Word> words) {
        int all = 0;
        for (int i = 1; i + 1 < words.size(); i++) {
            all = words.get(i).text().matches("--?a(ll?)?") ? 1 : all;
            if (words.get(i).text().matches("netns|vrf")
                    && words.get(i + 1).text().equals("exec")) {
                return words.subList(Math.min(words.size(), i + 3 - all), words.size());
            }
        }
        return List.of();
    }

    /** Where it runs the program, if it is told to. */
    public static @Nullable Word directory(List<Word> words) {
        Pattern option = DIRECTORY.get(words.getFirst().name());
        for (int i = 1;
                option != null && i < words.size() && words.get(i).text().startsWith("-");
                i++) {
            Matcher matcher = option.matcher(words.get(i).text());
            if (matcher.matches()) {
                return matcher.group(1).isEmpty() && i + 1 < words.size()
                        ? words.get(i + 1)
                        : words.get(i).from(matcher.start(1));
            }
        }
        return null;
    }

    private int afterOptions(List<Word> words) {
        return afterOptions(words, 1);
    }

    private int afterOptions(List<Word> words, int from) {
        int at = from;
        while (at < words.size() && words.get(at).text().startsWith("-")) {
            String option = words.get(at).text();
            at++;
            if (option.equals("--")) {
                break;
            }
            if (takesNext(option)) {
                at++;
            }
        }
        return at;
    }

    /** Whether one of these is among its own options, alone, among other letters, or cut short. */
    boolean hasOption(List<Word> words, String wanted, Set<String> names) {
        int end = Math.min(afterOptions(words), words.size());
        for (int i = 1; i < end; i++) {
            String option = words.get(i).text();
            String name = VALUE.matcher(option).replaceFirst("");
            if (name.startsWith("--")
                    ? name.length() > 2 && names.stream().anyMatch(one -> one.startsWith(name))
                    : hasLetter(option, wanted)) {
                return true;
            }
            i += takesNext(option) ? 1 : 0;
        }
        return false;
    }

    private boolean hasLetter(String option, String wanted) {
        for (int i = 1; i < option.length(); i++) {
            if (wanted.indexOf(option.charAt(i)) >= 0) {
                return true;
            } else if (letters.indexOf(option.charAt(i)) >= 0) {
                return false; // the rest is its value
            }
        }
        return false;
    }

    private boolean takesNext(String option) {
        if (option.startsWith("--")) {
            // getopt_long(3) takes a long option by any beginning of its name.
            return longOptions.stream().anyMatch(name -> name.startsWith(option));
        }
        for (int i = 1; i < option.length(); i++) {
            if (letters.indexOf(option.charAt(i)) >= 0) {
                return i == option.length() - 1;
            }
        }
        return false;
    }

    public static boolean isAssignment(Word word) {
        int equals = word.text().indexOf('=');
        return equals > 0 && word.text().substring(0, equals).matches("[A-Za-z_][A-Za-z_0-9]*");
    }

    /** Texts for a shell among the arguments of a program that is none. */
    public static List<Word> texts(List<Word> words) {
        String name = words.getFirst().name();
        List<Word> rest = words.subList(1, words.size());
        List<Word> texts = new ArrayList<>();
        if (OF_TEXT_OPTION.contains(name)) {
            texts.addAll(behind(TEXT_OPTION, rest));
            if (name.equals("sg") && texts.isEmpty()) { // behind the group
                rest.stream()
                        .filter(word -> !word.text().equals("-"))
                        .skip(1)
                        .limit(1)
                        .forEach(texts::add);
            }
        } else if (name.equals("env")) {
            behind(SPLIT_OPTION, own(words)).stream()
                    .filter(word -> word.text().contains("${"))
                    .forEach(texts::add); // it expands them as a shell does
        } else if (name.equals("alias")) {
            rest.forEach(word -> texts.add(word.from(word.text().indexOf('=') + 1)));
        } else if (OF_TEXT.contains(name) && !(name.equals("trap") && isReset(rest))) {
            List<Word> text = words.subList(Math.min(WATCH.afterOptions(words), words.size()), words.size());
            if (!text.isEmpty()) {
                texts.add(name.equals("eval") || name.equals("watch") ? Cells.joined(text) : text.getFirst());
            }
        }
        return texts;
    }

    /** {@code trap - EXIT}: what follows are signals. */
    private static boolean isReset(List<Word> rest) {
        return !rest.isEmpty() && rest.getFirst().text().equals("-");
    }

    /** What follows the option, in its own word or as the next one. */
    public static List<Word> behind(Pattern option, List<Word> rest) {
        List<Word> texts = new ArrayList<>();
        for (int i = 0; i < rest.size(); i++) {
            Matcher found = option.matcher(rest.get(i).text());
            if (found.matches() && !found.group(1).isEmpty()) {
                texts.add(rest.get(i).from(found.start(1)));
            } else if (found.matches() && i + 1 < rest.size()) {
                texts.add(rest.get(i + 1));
            }
        }
        return texts;
    }
}
