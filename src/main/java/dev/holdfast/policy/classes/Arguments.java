package dev.holdfast.policy.classes;

import dev.holdfast.shell.word.Word;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The words behind a program.
 *
 * @param operands those that are no option, and no option's value; {@link #LOOSE} is any words, options too
 * @param others all that do not begin with {@code -}, and what options are given in their own words
 */
record Arguments(List<String> operands, Set<String> options, List<String> others) {
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

    /**
     * The options of a program that take a value.
     *
     * @param names a last {@code ?} says that a short one has it in its own word, if it has one
     * @param getopt whether letters stand in one word up to one that takes a value, as getopt(3) has it
     * @param inFront whether no option follows the first operand: {@code !} in the table
     * @param ofInput whether what it gets as its input counts among its words: {@code <} there
     */
    record Values(Set<String> names, boolean getopt, boolean inFront, boolean ofInput) {
        static final Values NONE = new Values(Set.of(), false, false, false);

        boolean areTakenBy(String option) {
            return names.contains(option)
                    || (isLong(option) && names.stream().anyMatch(name -> name.startsWith(option)))
                    || (getopt
                            && option.startsWith("-")
                            && letter(option) == option.length() - 1
                            && names.contains("-" + option.charAt(option.length() - 1)));
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

        /** What it is given in its own word; of a long one the whole word. */
        private String own(String option) {
            return !getopt
                    ? ""
                    : isLong(option) ? option : option.substring(Math.min(option.length(), letter(option) + 1));
        }
    }

    static Arguments of(List<Word> words, Values values) {
        return ofGreedy(words, values, -1);
    }

    /** As if each option behind so many operands took a value, but for those that have theirs. */
    static Arguments ofGreedy(List<Word> words, Values values, int greedy) {
        List<String> operands = new ArrayList<>();
        Set<String> options = new HashSet<>();
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
                options.add(values.heeded(text, next));
                others.add(values.own(text));
                over = text.equals("--");
            } else {
                others.add(text);
            }
            if (loose || !(option || isValue)) {
                operands.add(loose ? LOOSE : text);
                over |= values.inFront();
            }
            may = option && operands.size() == greedy && !over && text.indexOf('=') < 0 && !values.areTakenBy(text);
            isValue = may || (option && values.areTakenBy(text));
        }
        return new Arguments(operands, options, others);
    }

    private static boolean isLoose(Word word) {
        boolean bare = !word.known()
                && !word.text().isEmpty()
                && word.places()[0] == word.start()
                && SPLITS.matcher(word.text()).lookingAt();
        return bare || (!word.known() && LIST.matcher(word.text()).matches());
    }

    private static boolean isLong(String option) {
        return option.length() > 2 && option.startsWith("--");
    }

    /**
     * Whether they stand here as a line of the table has them.
     *
     * @param cutShort whether a beginning of a long option is that option, as getopt_long(3) has it
     */
    boolean match(List<Expected> line, boolean cutShort) {
        return match(line, cutShort, false);
    }

    /** Whether they do if those that are {@link #LOOSE} turn out to be what is missing. */
    boolean mayMatch(List<Expected> line) {
        return operands.contains(LOOSE) && match(line, true, true);
    }

    private boolean match(List<Expected> line, boolean cutShort, boolean may) {
        int operand = 0;
        for (Expected word : line) {
            boolean there = switch (word.where()) {
                case NO_MORE -> operand >= operands.size();
                case OPTION -> may || hasOption(word, cutShort);
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
    private boolean hasOption(Expected word, boolean cutShort) {
        for (String given : options) {
            for (Wildcard option : word.alternatives()) {
                if (isOption(given, option, cutShort)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** A letter may stand among others: {@code -rf}; a long one may have its value with it. */
    private static boolean isOption(String given, Wildcard option, boolean cutShort) {
        String name = option.pattern();
        if (name.length() == 2 && !name.equals("--")) {
            int at = given.indexOf(name.charAt(1), 1);
            return at > 0 && at < lettersEnd(given);
        }
        return option.matches(given)
                || given.startsWith(name + "=")
                || (cutShort
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
     * @param except what is none of the alternatives though it looks like one
     */
    record Expected(Where where, List<Wildcard> alternatives, List<Wildcard> except) {
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

        private static final String ANYWHERE = "any:";
        private static final String EXCEPT = "!";

        static Expected of(String written) {
            Where where = written.equals("!")
                    ? Where.NO_MORE
                    : written.startsWith("-")
                            ? Where.OPTION
                            : written.startsWith(ANYWHERE) ? Where.ANYWHERE : Where.NEXT;
            String words = where == Where.ANYWHERE
                    ? written.substring(ANYWHERE.length()).replace('~', ' ')
                    : written;
            List<String> all = List.of(words.split(","));
            return new Expected(
                    where,
                    all.stream()
                            .filter(one -> !one.startsWith(EXCEPT))
                            .map(Wildcard::new)
                            .toList(),
                    all.stream()
                            .filter(one -> one.startsWith(EXCEPT))
                            .map(one -> new Wildcard(one.substring(EXCEPT.length())))
                            .toList());
        }

        boolean matches(String text) {
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
