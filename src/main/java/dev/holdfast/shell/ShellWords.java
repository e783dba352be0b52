package dev.holdfast.shell;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** How a shell is told what to run. */
final class ShellWords {
    private static final Set<String> NAMES = Set.of("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash");
    private static final Set<String> WITH_VALUE = Set.of("-o", "+o", "-O", "+O", "--rcfile", "--init-file");

    private final String letters;
    private final List<Word> operands;

    /** @param letters its short options */
    private ShellWords(String letters, List<Word> operands) {
        this.letters = letters;
        this.operands = operands;
    }

    static boolean isShell(Word program) {
        return program.known() && NAMES.contains(program.name());
    }

    static ShellWords of(List<Word> words) {
        StringBuilder letters = new StringBuilder();
        int at = 1;
        while (at < words.size() && words.get(at).text().matches("[-+].+")) {
            String option = words.get(at).text();
            if (option.matches("-[a-zA-Z]+")) {
                letters.append(option, 1, option.length());
            }
            at += WITH_VALUE.contains(option) ? 2 : 1;
            if (option.equals("--")) {
                break;
            }
        }
        return new ShellWords(letters.toString(), words.subList(Math.min(at, words.size()), words.size()));
    }

    boolean takesText() {
        return letters.indexOf('c') >= 0;
    }

    /** Behind {@code -c}. */
    Optional<Word> text() {
        return takesText() ? operands.stream().findFirst() : Optional.empty();
    }

    boolean readsInput() {
        return !takesText()
                && (letters.indexOf('s') >= 0
                        || operands.isEmpty()
                        || operands.getFirst().text().equals("-"));
    }
}
