package dev.holdfast.policy.classes;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The options of a program that take a value.
 *
 * @param names a last {@code ?} says that a short one has it in its own word, if it has one; a last {@code +} that it
 *     has the next word, and more letters may follow it
 * @param getopt whether letters stand in one word up to one that takes a value, as getopt(3) has it
 * @param inFront whether no option follows the first operand: {@code !} in the table
 * @param first whether none follows the first word: {@code !!} there
 * @param ofInput whether what it gets as its input counts among its words: {@code <} there
 * @param behind those behind a first operand that has its own: {@code git tag}
 */
record Values(
        Set<String> names,
        boolean getopt,
        boolean inFront,
        boolean first,
        boolean ofInput,
        Map<String, Values> behind) {
    static final Values NONE = of(List.of(), false);

    static Values of(List<String> written, boolean getopt) {
        return new Values(
                Set.copyOf(written),
                getopt,
                written.contains("!"),
                written.contains("!!"),
                written.contains("<"),
                new HashMap<>());
    }

    boolean areTakenBy(String option) {
        return names.contains(option)
                || (Arguments.isLong(option) && names.stream().anyMatch(name -> name.startsWith(option)))
                || (getopt
                        && option.startsWith("-")
                        && ((letter(option) == option.length() - 1
                                        && names.contains("-" + option.charAt(option.length() - 1)))
                                || hasGoingOn(option)));
    }

    private boolean hasGoingOn(String option) {
        return !option.startsWith("--")
                && option.chars().skip(1).anyMatch(letter -> names.contains("-" + (char) letter + "+"));
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
    String heeded(String option, String next) {
        if (!getopt) {
            return option;
        }
        if (Arguments.isLong(option)) {
            int equals = option.indexOf('=');
            String name = equals < 0 ? option : option.substring(0, equals);
            String given = equals < 0 ? next : option.substring(equals + 1);
            return areTakenBy(name) && Arguments.NOWHERE.matcher(given).matches() ? "-" : option;
        }
        int letter = letter(option);
        int end = Math.min(option.length(), letter + 1);
        String given = areTakenBy(option) ? next : option.substring(end);
        return option.substring(0, Arguments.NOWHERE.matcher(given).matches() ? letter : end);
    }

    /** What it is given in its own word; of a long one the whole word. */
    String own(String option) {
        return !getopt
                ? ""
                : Arguments.isLong(option) ? option : option.substring(Math.min(option.length(), letter(option) + 1));
    }
}
