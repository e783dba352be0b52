package dev.holdfast.policy;

import com.google.re2j.Pattern;
import dev.holdfast.policy.Action.On;
import dev.holdfast.policy.classes.CommandClass;
import dev.holdfast.policy.classes.Wildcard;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Rules that hold but can hardly be meant: that never match, match all, or come behind one that decides all of theirs.
 */
final class RuleFlaws {
    private static final Set<String> ALL = Set.of("", "^", "$", ".*", "^.*", ".*$", "^.*$", "(?s).*", ".+", "^.+$");

    private RuleFlaws() {}

    static List<String> of(List<Rule> rules) {
        List<String> flaws = new ArrayList<>();
        for (int i = 0; i < rules.size(); i++) {
            Rule rule = rules.get(i);
            String where = "line " + rule.line() + ": the rule `" + rule.id() + "` ";
            String never = never(rule.match());
            if (!never.isEmpty()) {
                flaws.add(where + "never matches: " + never);
            } else if (matchesAll(rule.match())) {
                flaws.add(where + "matches all; `default` says that more plainly.");
            } else {
                rules.subList(0, i).stream()
                        .filter(earlier -> covers(earlier.match(), rule.match()))
                        .findFirst()
                        .ifPresent(earlier -> flaws.add(where + behind(earlier, rule)));
            }
        }
        return List.copyOf(flaws);
    }

    private static String behind(Rule earlier, Rule rule) {
        return "never decides: `" + earlier.id() + "` in line " + earlier.line() + " comes first and says "
                + (earlier.decision() == rule.decision() ? "the same" : "otherwise")
                + ". Put it before that one, or remove it.";
    }

    private static boolean matchesAll(Match match) {
        return match.executable().isEmpty()
                && match.env().isEmpty()
                && match.labels().isEmpty()
                && match.actor().isEmpty()
                && match.text().isEmpty()
                && (match.command().isEmpty() || match.command().stream().anyMatch(Wildcard::matchesAll))
                && (match.regex().isEmpty() || match.regex().stream().anyMatch(one -> ALL.contains(one.pattern())))
                && (match.classes().isEmpty() || match.classes().size() == CommandClass.values().length)
                && (match.workdir().isEmpty() || match.workdir().stream().anyMatch(Set.of("**", "/**")::contains))
                && match.on().contains(On.COMMAND);
    }

    /** Why, or nothing. */
    private static String never(Match match) {
        if (!match.command().isEmpty() && match.command().stream().allMatch(RuleFlaws::isOfNoCommand)) {
            return "a simple command has one blank between its words and holds no `;`, `&&`, `||` and `|`.";
        }
        if (!match.workdir().isEmpty() && match.workdir().stream().noneMatch(glob -> glob.matches("[/*{\\[?].*"))) {
            return "a working directory is a whole path and begins with `/`.";
        }
        if (!match.workdir().isEmpty()
                && match.workdir().stream().allMatch(glob -> glob.length() > 1 && glob.endsWith("/"))) {
            return "the path of a working directory does not end with `/`.";
        }
        List<String> programs = match.command().stream()
                .map(pattern -> pattern.pattern().split(" ", 2)[0])
                .toList();
        boolean others = !match.executable().isEmpty()
                && !programs.isEmpty()
                && programs.stream()
                        .noneMatch(program -> program.indexOf('*') >= 0
                                || program.indexOf('/') >= 0
                                || match.executable().stream()
                                        .anyMatch(name -> name.equals(program) || name.indexOf('/') >= 0));
        return others ? "`command` and `executable` name different programs." : "";
    }

    private static boolean isOfNoCommand(Wildcard pattern) {
        String text = pattern.pattern();
        return !text.equals(text.strip()) || text.contains("  ") || text.matches(".*( (&&|\\|\\|?|;) |; ).*");
    }

    /** Whether the first one matches whatever the second does. */
    private static boolean covers(Match first, Match second) {
        return lists(first.executable(), second.executable())
                && lists(first.text(), second.text())
                && lists(patterns(first), patterns(second))
                && lists(first.workdir(), second.workdir())
                && lists(first.actor(), second.actor())
                && lists(List.copyOf(first.classes()), List.copyOf(second.classes()))
                && patterns(first.command(), second.command())
                && patterns(first.env(), second.env())
                && first.on().containsAll(second.on())
                && first.labels().entrySet().stream()
                        .allMatch(label -> second.labels().containsKey(label.getKey())
                                && label.getValue().containsAll(second.labels().get(label.getKey())));
    }

    private static List<String> patterns(Match match) {
        return match.regex().stream().map(Pattern::pattern).toList();
    }

    private static boolean lists(List<?> first, List<?> second) {
        return first.isEmpty() || (!second.isEmpty() && first.containsAll(second));
    }

    private static boolean patterns(List<Wildcard> first, List<Wildcard> second) {
        return first.isEmpty()
                || (!second.isEmpty()
                        && second.stream().allMatch(one -> first.stream().anyMatch(wider -> wider.covers(one))));
    }
}
