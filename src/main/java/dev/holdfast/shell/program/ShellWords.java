package dev.holdfast.shell.program;

import dev.holdfast.shell.word.Word;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** How a shell is told what to run. */
public final class ShellWords {
    private static final Set<String> NAMES =
            Set.of("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh", "source", ".");
    private static final Set<String> INPUT = Set.of("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0");
    private static final Set<String> WITH_VALUE = Set.of("--rcfile", "--init-file");

    /** Alone, it is told and nothing is run. */
    private static final Pattern ABOUT = Pattern.compile("--version|--help");

    private static final Pattern ABOUT_USER = Pattern.compile("-V|-h|--version|--help");

    private final Word program;
    private final String letters;
    private final List<Word> operands;

    /** @param letters its short options */
    private ShellWords(Word program, String letters, List<Word> operands) {
        this.program = program;
        this.letters = letters;
        this.operands = operands;
    }

    public static boolean isShell(Word program) {
        return program.known() && NAMES.contains(program.name());
    }

    /** Whether it has the name of a shell, though only running it may tell which program it is. */
    public static boolean isNamed(Word program) {
        return NAMES.contains(program.name());
    }

    /** The same, or what starts a shell of another user: {@code sudo -s}, {@code su - bob}. */
    public static boolean isShell(List<Word> words) {
        return isShell(words.getFirst()) || isOfUser(words);
    }

    private static boolean isOfUser(List<Word> words) {
        Runner runner = Runner.of(words.getFirst());
        return switch (words.getFirst().name()) {
            case "sudo" ->
                runner != null
                        && runner.hasOption(words, "si", Set.of("--shell", "--login"))
                        && runner.inner(words).isEmpty();
            case "doas" ->
                runner != null
                        && runner.hasOption(words, "s", Set.of())
                        && runner.inner(words).isEmpty();
            case "runuser" -> runner != null && !runner.hasOption(words, "u", Set.of("--user")) && takesNoText(words);
            case "su" -> words.getFirst().known() && takesNoText(words);
            default -> false;
        };
    }

    private static boolean takesNoText(List<Word> words) {
        boolean about =
                words.size() == 2 && ABOUT_USER.matcher(words.get(1).text()).matches();
        return !about && Runner.texts(words).isEmpty();
    }

    /** Whether a file by this name is the input. */
    public static boolean isInput(Word file) {
        return INPUT.contains(file.text());
    }

    /** Whether a file may be the input of whose path the beginning and the end are known. */
    public static boolean mayBeInput(String begins, String ends) {
        String last = ends.substring(Math.max(0, ends.lastIndexOf('/')));
        return INPUT.stream().anyMatch(name -> name.startsWith(begins) && name.endsWith(last));
    }

    public static ShellWords of(List<Word> words) {
        if (!isNamed(words.getFirst())) {
            return new ShellWords(words.getFirst(), "s", List.of());
        }
        StringBuilder letters = new StringBuilder();
        int at = 1;
        boolean about = words.size() == 2 && ABOUT.matcher(words.get(1).text()).matches();
        while (!about && at < words.size() && words.get(at).text().matches("[-+].+")) {
            String option = words.get(at).text();
            if (option.matches("-[a-zA-Z]+")) {
                letters.append(option, 1, option.length());
            }
            at += WITH_VALUE.contains(option) || option.matches("[-+][a-zA-Z]*[oO]") ? 2 : 1;
            if (option.equals("--")) {
                break;
            }
        }
        return new ShellWords(
                words.getFirst(), letters.toString(), words.subList(Math.min(at, words.size()), words.size()));
    }

    public boolean takesText() {
        return letters.indexOf('c') >= 0;
    }

    /** Behind {@code -c}. */
    public Optional<Word> text() {
        return takesText() ? operands.stream().findFirst() : Optional.empty();
    }

    /** {@code $0} and what follows, for a text that is given or comes as input. */
    public List<Word> parameters() {
        if (takesText()) {
            return operands.size() > 1 ? operands.subList(1, operands.size()) : List.of(program);
        }
        return Stream.concat(Stream.of(program), operands.stream()).toList();
    }

    public boolean readsInput() {
        return !takesText() && (letters.indexOf('s') >= 0 || operands.isEmpty() || isInput(operands.getFirst()));
    }

    /** Text from elsewhere than its own words: that, its input, or {@code <(…)}. */
    public boolean runsOther() {
        return takesText()
                || readsInput()
                || (!operands.getFirst().known() && operands.getFirst().text().startsWith("<("));
    }
}
