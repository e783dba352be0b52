package dev.holdfast.policy;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.holdfast.policy.Action.On;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.classes.CommandClass;
import dev.holdfast.policy.classes.Wildcard;
import dev.holdfast.policy.file.PolicyFileException;
import dev.holdfast.policy.file.Yaml;
import dev.holdfast.task.Sandbox;
import java.nio.file.FileSystems;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the text of a policy file, strictly. */
final class RuleFile {
    private static final Set<String> KEYS = Set.of("version", "mode", "default", "protections", "rules");
    private static final Set<String> OF_A_RULE = Set.of("id", "match", "decision", "reason", "sandbox");
    private static final Set<String> OF_A_MATCH =
            Set.of("command", "executable", "text", "regex", "class", "workdir", "env", "labels", "actor", "on");

    private RuleFile() {}

    static Rules parse(String text) throws PolicyFileException {
        Yaml root = Yaml.parse(text, "version: 1");
        Map<String, Yaml> keys = root.keys(KEYS);
        Yaml version = keys.get("version");
        if (version == null || !version.isNumber(1)) {
            int line = version == null ? 1 : version.line();
            throw PolicyFileException.at(line, "`version` must be 1", "Write `version: 1`.");
        }
        Yaml mode = keys.get("mode");
        Yaml fallback = keys.get("default");
        Yaml protections = keys.get("protections");
        List<Rule> rules = rules(keys.get("rules"));
        return new Rules(
                mode == null ? Mode.OPEN : mode.constant(Mode.class),
                fallback == null ? Decision.ALLOW : fallback.constant(Decision.class),
                protections == null || protections.truth(),
                rules,
                RuleFlaws.of(rules));
    }

    private static List<Rule> rules(@Nullable Yaml list) throws PolicyFileException {
        List<Rule> rules = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (Yaml item : list == null ? List.<Yaml>of() : list.items()) {
            Rule rule = rule(item);
            if (!ids.add(rule.id())) {
                throw PolicyFileException.at(
                        rule.line(),
                        "the id `" + rule.id() + "` stands there twice",
                        "Give each rule an id of its own.");
            }
            rules.add(rule);
        }
        return List.copyOf(rules);
    }

    private static Rule rule(Yaml item) throws PolicyFileException {
        Map<String, Yaml> keys = item.keys(OF_A_RULE);
        for (String needed : List.of("id", "match", "decision")) {
            if (!keys.containsKey(needed)) {
                throw PolicyFileException.at(
                        item.line(), "a rule has no `" + needed + "`", "A rule needs id, match and decision.");
            }
        }
        Yaml id = value(keys, "id");
        if (id.text().startsWith("builtin.") || id.text().startsWith("mode.")) {
            throw id.flaw("must not begin with builtin. or mode.", "These are Holdfast's own: take another one.");
        }
        Decision decision = value(keys, "decision").constant(Decision.class);
        Yaml reason = keys.get("reason");
        return new Rule(
                id.text(),
                item.line(),
                match(value(keys, "match")),
                decision,
                reason == null ? null : reason.text(),
                sandbox(keys.get("sandbox"), decision));
    }

    private static @Nullable Sandbox sandbox(@Nullable Yaml sandbox, Decision decision) throws PolicyFileException {
        if (sandbox == null) {
            return null;
        }
        if (decision != Decision.ALLOW) {
            throw sandbox.flaw("is for a rule that allows", "Leave it out, or let the rule allow.");
        }
        return sandbox.wall(
                "Write none, read_only or workspace_write; with +network after it the network may be asked for.");
    }

    private static Yaml value(Map<String, Yaml> keys, String key) {
        return Objects.requireNonNull(keys.get(key));
    }

    private static Match match(Yaml match) throws PolicyFileException {
        Map<String, Yaml> keys = match.keys(OF_A_MATCH);
        Set<CommandClass> classes = Yaml.constants(keys.get("class"), CommandClass.class);
        Set<On> on = Yaml.constants(keys.get("on"), On.class);
        List<Pattern> regex = new ArrayList<>();
        for (Yaml item : Yaml.oneOrMore(keys.get("regex"))) {
            regex.add(regex(item));
        }
        for (Yaml item : Yaml.oneOrMore(keys.get("workdir"))) {
            checkGlob(item);
        }
        return new Match(
                Yaml.texts(keys.get("command")).stream().map(Wildcard::new).toList(),
                Yaml.texts(keys.get("executable")),
                Yaml.texts(keys.get("text")),
                List.copyOf(regex),
                classes,
                Yaml.texts(keys.get("workdir")),
                Yaml.texts(keys.get("env")).stream().map(Wildcard::new).toList(),
                labels(keys.get("labels")),
                Yaml.texts(keys.get("actor")),
                on.isEmpty() ? EnumSet.of(On.COMMAND) : on);
    }

    private static Map<String, List<String>> labels(@Nullable Yaml labels) throws PolicyFileException {
        Map<String, List<String>> all = new LinkedHashMap<>();
        if (labels != null) {
            Map<String, Yaml> keys = labels.keys();
            if (keys.isEmpty()) {
                throw labels.flaw("names none", "Leave the key out, or name one.");
            }
            for (String key : keys.keySet()) {
                all.put(key, Yaml.texts(keys.get(key)));
            }
        }
        return all;
    }

    private static Pattern regex(Yaml item) throws PolicyFileException {
        if (PatternSize.of(item.text()) > PatternSize.MOST) {
            throw item.flaw(
                    "repeats more than " + PatternSize.MOST + " characters, written out",
                    "Write smaller counted repeats, or `*` and `+`.");
        }
        try {
            return Pattern.compile(item.text());
        } catch (PatternSyntaxException e) {
            throw item.flaw(
                    "is no regular expression of RE2: " + e.getMessage(),
                    "RE2 has no look-around and no back references; put it into single quotes.");
        } catch (StackOverflowError e) {
            throw item.flaw("is nested too deeply", "Write it with fewer groups within groups.");
        }
    }

    private static void checkGlob(Yaml item) throws PolicyFileException {
        try {
            FileSystems.getDefault().getPathMatcher("glob:" + item.text());
        } catch (java.util.regex.PatternSyntaxException e) {
            throw item.flaw("is no glob: " + e.getDescription(), "Write a path such as /srv/app{,/**}.");
        }
    }
}
