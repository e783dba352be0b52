package dev.holdfast.policy;

import dev.holdfast.shell.word.Word;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The words behind a program.
 *
 * @param operands those that are no option, and no option's value
 * @param others all that do not begin with {@code -}
 */
record Arguments(List<String> operands, Set<String> options, List<String> others) {
    /** In front of a pattern for a word that is no option, wherever it stands. */
    static final String ANYWHERE = "any:";

    /** What is written there is nowhere. */
    static final Pattern NOWHERE = Pattern.compile("/dev/(null|zero|full|tty|stdout|stderr|fd/\\d+)");

    private static final Pattern BEHIND_NAME = Pattern.compile("(?s)=.*");

    /**
     * The options of a program that take a value.
     *
     * @param names a last {@code ?} says that a short one has it in its own word, if it has one
     * @param getopt whether letters stand in one word up to one that takes a value, as getopt(3) has it
     */
    record Values(Set<String> names, boolean getopt) {
        static final Values NONE = new Values(Set.of(), false);

        private boolean areTakenBy(String option) {
            return names.contains(option)
                    || (isLong(option) && names.stream().anyMatch(name -> name.startsWith(option)))
                    || (getopt && letter(option) == option.length() - 1 && names.contains("-" + last(option)));
        }

        private static char last(String option) {
            return option.charAt(option.length() - 1);
        }

        /** Where in a word of letters the one is that takes a value; behind them all for none. */
        private int letter(String option) {
            int at = 1;
            while (at < option.length()
                    && !names.contains("-" + option.charAt(at))
                    && !names.contains("-" + option.charAt(at) + "?")) {
                at++;
            }
            return option.startsWith("--") ? option.length() : at;
        }

        /** Without its value, and without what takes one that is nowhere. */
        private String heeded(String option, String next) {
            if (!getopt) {
                return option;
            }
            if (isLong(option)) {
                int equals = option.indexOf('=');
                String name = equals < 0 ? option : option.substring(0, equals);
                String given = equals < 0 ? next : option.substring(equals + 1);
                return areTakenBy(name) && NOWHERE.matcher(given).matches() ? "-" : option;
            }
            int letter = letter(option);
            int end = Math.min(option.length(), letter + 1);
            String given = areTakenBy(option) ? next : option.substring(end);
            return option.substring(0, NOWHERE.matcher(given).matches() ? letter : end);
        }
    }

    static Arguments of(List<Word> words, Values values) {
        return of(words, values, false);
    }

    /** As if each option in front of the first operand took a value, but for those that have theirs. */
    static Arguments ofGreedy(List<Word> words, Values values) {
        return of(words, values, true);
    }

    private static Arguments of(List<Word> words, Values values, boolean greedy) {
        List<String> operands = new ArrayList<>();
        Set<String> options = new HashSet<>();
        List<String> others = new ArrayList<>();
        boolean over = false;
        boolean isValue = false;
        for (int i = 1; i < words.size(); i++) {
            String text = words.get(i).text();
            boolean option = !over && !isValue && text.length() > 1 && text.startsWith("-");
            if (option) {
                options.add(values.heeded(
                        text, i + 1 < words.size() ? words.get(i + 1).text() : ""));
                over = text.equals("--");
            } else {
                others.add(text);
                if (!isValue) {
                    operands.add(text);
                }
            }
            boolean may = greedy && operands.isEmpty() && !over && text.indexOf('=') < 0;
            isValue = option && (may || values.areTakenBy(text));
        }
        return new Arguments(operands, options, others);
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
        return others.stream().anyMatch(other -> first.matches(other) || matches(word.subList(1, word.size()), other));
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
        while (end < option.length() && (Character.isLetterOrDigit(option.charAt(end)) || option.charAt(end) == '#')) {
            end++;
        }
        return option.substring(1, end);
    }
}
