package dev.holdfast.policy.classes;

import dev.holdfast.shell.word.Word;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The words behind a program.
 *
 * @param operands those that are no option, and no option's value; {@link #LOOSE} is any words, options too
 * @param inFront those of the program, where its subcommand has its own: {@code git -C dir branch}
 * @param letters those options that are told to be letters side by side: the table has which of them take a value
 * @param others all that do not begin with {@code -}, and what options are given in their own words
 */
record Arguments(
        List<String> operands, Set<String> options, Set<String> inFront, Set<String> letters, List<String> others) {
    /** What is written there is nowhere. */
    static final Pattern NOWHERE = Pattern.compile("/dev/(null|zero|full|tty|stdout|stderr|fd/\\d+)");

    private static final String LOOSE = "\0";

    /** What xargs gets from who knows where. */
    static final Word ANY = new Word("$@", false, false, new int[2], 0, 0);

    /** The shell makes words of it, by its blanks. What is a number, a path, or a commit's name is no option. */
    private static final Pattern SPLITS = Pattern.compile("-{0,2}(?:`|\\$(?!\\(\\(|[#?$!]|\\{#"
            + "|\\{?(?:PWD|OLDPWD|HOME|TMPDIR|USER|UID|EUID|RANDOM)\\b|(?:\\w+|\\{\\w+})[/.:]"
            + "|\\((?:pwd|date|nproc|id|uname|which|command -v|realpath|readlink -f|find)\\b"
            + "|\\(git (?:rev-parse|rev-list|merge-base|describe|ls-files)\\b))");

    /** Several words though in quotes. */
    private static final Pattern LIST = Pattern.compile("\\$(?:@|\\{(?:@|\\w+\\[@\\])})");

    private static final Pattern BEHIND_NAME = Pattern.compile("(?s)=.*");

    static Arguments of(List<Word> words, Values values) {
        return ofGreedy(words, values, -1);
    }

    /** As if each option behind so many operands took a value, but for those that have theirs. */
    static Arguments ofGreedy(List<Word> words, Values ofProgram, int greedy) {
        Values values = ofProgram;
        List<String> operands = new ArrayList<>();
        Set<String> options = new HashSet<>();
        Set<String> inFront = new HashSet<>();
        Set<String> letters = new HashSet<>();
        List<String> others = new ArrayList<>();
        boolean over = false;
        boolean isValue = false;
        boolean may = false;
        for (int i = 1; i < words.size(); i++) {
            String text = words.get(i).text();
            boolean option = !over && (!isValue || may) && text.length() > 1 && text.startsWith("-");
            boolean loose = !over && !isValue && isLoose(words.get(i));
            if (option) {
                String next = i + 1 < words.size() ? words.get(i + 1).text() : "";
                String heeded = values.heeded(text, next);
                (operands.isEmpty() && !ofProgram.behind().isEmpty() ? inFront : options).add(heeded);
                if (values.getopt()) {
                    letters.add(heeded);
                }
                others.add(values.own(text));
                over = text.equals("--");
            } else {
                others.add(text);
            }
            if (loose || !(option || isValue)) {
                operands.add(loose ? LOOSE : text);
                over |= values.inFront();
                values = operands.size() == 1 ? values.behind().getOrDefault(text, values) : values;
            }
            over |= values.first();
            may = option && operands.size() == greedy && !over && text.indexOf('=') < 0 && !values.areTakenBy(text);
            isValue = may || (option && values.areTakenBy(text));
        }
        return new Arguments(operands, options, inFront, letters, others);
    }

    /** As if each that the shell may make several of were in quotes. */
    static List<Word> inQuotes(List<Word> words) {
        return words.stream().map(word -> isBare(word) ? Word.unknown() : word).toList();
    }

    private static boolean isBare(Word word) {
        return !word.known()
                && !word.text().isEmpty()
                && word.places()[0] == word.start()
                && SPLITS.matcher(word.text()).lookingAt();
    }

    private static boolean isLoose(Word word) {
        return isBare(word) || (!word.known() && LIST.matcher(word.text()).matches());
    }

    static boolean isLong(String option) {
        return option.length() > 2 && option.startsWith("--");
    }

    boolean hasOptions() {
        return !options.isEmpty() || !inFront.isEmpty();
    }

    /**
     * Whether they stand here as a line of the table has them.
     *
     * @param guess whether a beginning of a long option is that option, as getopt_long(3) has it, and a letter one
     *     where the table does not tell which of them take a value
     */
    boolean match(List<Expected> line, boolean guess) {
        return match(line, guess, false);
    }

    /** Whether they do if those that are {@link #LOOSE} turn out to be what is missing. */
    boolean mayMatch(List<Expected> line) {
        return operands.contains(LOOSE) && match(line, true, true);
    }

    private boolean match(List<Expected> line, boolean guess, boolean may) {
        int operand = 0;
        for (Expected word : line) {
            boolean there = switch (word.where()) {
                case NO_MORE -> operand >= operands.size();
                case OPTION ->
                    may || hasOption(options, word, guess) || (operand == 0 && hasOption(inFront, word, guess));
                case ANYWHERE -> word.isAnyOf(others);
                case NEXT -> operand < operands.size() ? isNext(word, operands.get(operand++), may) : may;
            };
            if (!there) {
                return false;
            }
        }
        return true;
    }

    private static boolean isNext(Expected word, String operand, boolean may) {
        return (may && operand.equals(LOOSE)) || word.matches(operand);
    }

    // Loops here and below, no streams: a command is held against every line of its program, twice.
    private boolean hasOption(Set<String> all, Expected word, boolean guess) {
        for (String given : all) {
            for (Wildcard option : word.alternatives()) {
                if (isOption(given, option, guess)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** A letter may stand among others: {@code -rf}; a long one may have its value with it. */
    private boolean isOption(String given, Wildcard option, boolean guess) {
        String name = option.pattern();
        if (name.length() == 2 && !name.equals("--")) {
            int at = given.indexOf(name.charAt(1), 1);
            boolean told = letters.contains(given) && lettersEnd(given) == given.length();
            return (guess || told) ? at > 0 && at < lettersEnd(given) : given.equals(name);
        }
        return option.matches(given)
                || given.startsWith(name + "=")
                || (guess
                        && isLong(given)
                        && name.indexOf('=') < 0
                        && name.startsWith(BEHIND_NAME.matcher(given).replaceFirst("")));
    }

    /** Where the letters of short options end; none are in a long one. */
    private static int lettersEnd(String option) {
        int end = 1;
        while (end < option.length() && (Character.isLetterOrDigit(option.charAt(end)) || option.charAt(end) == '#')) {
            end++;
        }
        return end;
    }

    /**
     * A word of a line of the table.
     *
     * @param anyCase whether it is told by small letters, and large ones are the same, as a blank is any white space
     * @param except what is none of the alternatives though it looks like one
     */
    record Expected(Where where, boolean anyCase, List<Wildcard> alternatives, List<Wildcard> except) {
        /** Where one of the alternatives must stand. */
        enum Where {
            /** As the next operand. */
            NEXT,
            OPTION,
            /** As any word that is no option. */
            ANYWHERE,
            /** Nowhere: there is no operand more. */
            NO_MORE
        }

        private static final Pattern BLANK = Pattern.compile("[\\t\\n\\r]");
        private static final String ANYWHERE = "any:";
        private static final String ANY_CASE = "case:";
        private static final String EXCEPT = "!";

        static Expected of(String written) {
            Where where = written.equals("!")
                    ? Where.NO_MORE
                    : written.startsWith("-")
                            ? Where.OPTION
                            : written.startsWith(ANYWHERE) ? Where.ANYWHERE : Where.NEXT;
            String behind =
                    (where == Where.ANYWHERE ? written.substring(ANYWHERE.length()) : written).replace('~', ' ');
            boolean anyCase = behind.startsWith(ANY_CASE);
            List<String> all = List.of((anyCase ? behind.substring(ANY_CASE.length()) : behind).split(","));
            return new Expected(
                    where,
                    anyCase,
                    all.stream()
                            .filter(one -> !one.startsWith(EXCEPT))
                            .map(Wildcard::new)
                            .toList(),
                    all.stream()
                            .filter(one -> one.startsWith(EXCEPT))
                            .map(one -> new Wildcard(one.substring(EXCEPT.length())))
                            .toList());
        }

        boolean matches(String given) {
            String text =
                    anyCase ? BLANK.matcher(given.toLowerCase(Locale.ROOT)).replaceAll(" ") : given;
            return isOneOf(alternatives, text) && !isOneOf(except, text);
        }

        private static boolean isOneOf(List<Wildcard> patterns, String text) {
            for (Wildcard one : patterns) {
                if (one.matches(text)) {
                    return true;
                }
            }
            return false;
        }

        private boolean isAnyOf(List<String> texts) {
            for (String text : texts) {
                if (matches(text)) {
                    return true;
                }
            }
            return false;
        }
    }
}
