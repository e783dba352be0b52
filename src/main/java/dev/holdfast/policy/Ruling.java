package dev.holdfast.policy;

import dev.holdfast.policy.Action.On;
import dev.holdfast.policy.Match.Subject;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.classes.CommandClass;
import dev.holdfast.policy.classes.Hijacks;
import dev.holdfast.shell.SimpleCommand.Runs;
import dev.holdfast.task.Sandbox;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What decides of one command, and why: the strictest of what {@link Policy} lists, by all files.
 *
 * @param sandbox the strictest wall of all of them
 */
record Ruling(
        Decision decision,
        @Nullable String rule,
        @Nullable String reason,
        @Nullable Sandbox sandbox) {
    private static final String HIJACK = "builtin.env-hijack";
    private static final Ruling ALLOW = new Ruling(Decision.ALLOW, null, null);

    private Ruling(Decision decision, @Nullable String rule, @Nullable String reason) {
        this(decision, rule, reason, null);
    }

    /** The stricter one; of two alike a protection's, or else one that names its rule. */
    private Ruling or(Ruling other) {
        int stricter = other.decision.compareTo(decision);
        boolean firstOfAlike = Policy.isBuiltin(other.rule) ? !Policy.isBuiltin(rule) : rule == null;
        Ruling decides = stricter > 0 || (stricter == 0 && firstOfAlike) ? other : this;
        return new Ruling(decides.decision, decides.rule, decides.reason, Sandbox.stricter(sandbox, other.sandbox));
    }

    /**
     * @param hijacks what of the environment that is asked for changes what runs
     * @param unknown why {@code plan} can't know what the whole runs, if it is so
     */
    static Ruling of(Subject subject, List<Rules> files, Set<String> hijacks, Optional<String> unknown) {
        boolean isStop = subject.action().on() == On.STOP;
        Ruling strictest = isStop || files.stream().noneMatch(Rules::protections) ? ALLOW : forbidden(subject);
        for (Rules rules : files) {
            strictest = strictest.or(ofFile(subject, rules, hijacks, unknown));
        }
        return strictest;
    }

    private static Ruling forbidden(Subject subject) {
        if (subject.action().script().unread()) {
            return new Ruling(Decision.DENY, Policy.UNREAD, "It is too long, or nested too deep, to be read in time.");
        }
        if (subject.action().script().bomb()) {
            return new Ruling(
                    Decision.DENY, Policy.FORK_BOMB, "A function would start itself twice each time, without end.");
        }
        return protections(Decision.DENY, subject);
    }

    private static Ruling protections(Decision decision, Subject subject) {
        for (Protection one : Protection.ALL) {
            if (one.decision == decision && one.holds(subject.action(), subject.command())) {
                return new Ruling(decision, one.id(), one.reason);
            }
        }
        return ALLOW;
    }

    /** By the rules of one file. */
    private static Ruling ofFile(Subject subject, Rules rules, Set<String> hijacks, Optional<String> unknown) {
        Rule first = rules.rules().stream()
                .filter(rule -> matches(rule, subject))
                .findFirst()
                .orElse(null);
        Rule allowing = first != null && first.decision() == Decision.ALLOW ? first : null;
        Ruling ruling = first != null
                ? new Ruling(first.decision(), first.id(), first.reason(), first.sandbox())
                : fallback(subject, rules);
        if (subject.action().on() == On.STOP) {
            return ruling;
        }
        return ruling.or(rules.protections() && allowing == null ? protections(Decision.ASK, subject) : ALLOW)
                .or(rules.protections() ? hijack(hijacks, allowing) : ALLOW)
                .or(floor(subject, rules.mode().or(subject.action().actor().mode()), allowing != null, unknown));
    }

    private static boolean matches(Rule rule, Subject subject) {
        return rule.decision() == Decision.ALLOW
                ? rule.match().allows(subject)
                : rule.match().restricts(subject);
    }

    /** A stop is the safe direction: only a rule holds it back. A shell whose text is read is decided by that. */
    private static Ruling fallback(Subject subject, Rules rules) {
        Runs runs = subject.command().runs();
        boolean judged = runs == Runs.KNOWN_TEXT || runs == Runs.FUNCTION;
        // What the text runs is told without the variables in front of the shell.
        boolean decidedElsewhere = judged && !Hijacks.areSetFor(subject.command());
        return decidedElsewhere || subject.action().on() == On.STOP ? ALLOW : new Ruling(rules.fallback(), null, null);
    }

    private static Ruling hijack(Set<String> keys, @Nullable Rule allowing) {
        return keys.stream()
                .filter(key -> allowing == null || !allowing.match().namesKey(key))
                .findFirst()
                .map(key -> new Ruling(Decision.ASK, HIJACK, "`" + key + "` changes what runs."))
                .orElse(ALLOW);
    }

    private static Ruling floor(Subject subject, Mode mode, boolean allowed, Optional<String> unknown) {
        if (mode == Mode.PLAN) {
            return PlanFloor.denial(subject, unknown)
                    .map(why -> new Ruling(Decision.DENY, "mode.plan", why))
                    .orElse(ALLOW);
        }
        boolean grave = !Collections.disjoint(subject.classes(), CommandClass.GRAVE);
        return mode == Mode.ASK_DESTRUCTIVE && grave && !allowed
                ? new Ruling(Decision.ASK, "mode.ask_destructive", "It is destructive, privileged, or unknown.")
                : ALLOW;
    }
}
