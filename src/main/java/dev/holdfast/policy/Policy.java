package dev.holdfast.policy;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.policy.Match.Subject;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.actor.TokenFile;
import dev.holdfast.policy.classes.Classes;
import dev.holdfast.policy.classes.CommandClass;
import dev.holdfast.policy.classes.Hijacks;
import dev.holdfast.shell.SimpleCommand;
import dev.holdfast.shell.SimpleCommand.Assignment;
import dev.holdfast.shell.SimpleCommand.Runs;
import dev.holdfast.shell.word.Word;
import dev.holdfast.task.Sandbox;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Says what may be done, and why. Of each command the strictest of these decides:
 *
 * <ol>
 *   <li>what is forbidden: {@link #UNREAD}, {@link #FORK_BOMB}, a {@link Protection} that denies
 *   <li>of each file the first rule that matches, or else its default
 *   <li>a {@link Protection} that asks, unless that rule allows
 *   <li>a variable that changes what runs, unless that rule allows and names it
 *   <li>the mode: {@code plan} always, {@code ask_destructive} unless that rule allows
 * </ol>
 *
 * Of a stop only the rules do. What asks is lifted by {@link Remembered}, unless it is one of ours, and by who is asked
 * each time; a denial by nobody. Thread-safe.
 */
@Singleton
public final class Policy {
    /** Of what was not read to its end, so that nobody knows what it runs. */
    public static final String UNREAD = "builtin.unread";

    public static final String FORK_BOMB = "builtin.fork-bomb";

    /** Of a policy file that can't be used, and never could. */
    public static final String BROKEN = "builtin.broken-policy";

    private final Supplier<List<Rules>> files;
    private final Supplier<Map<String, String>> flaws;
    private final BooleanSupplier hasTokens;

    @Inject
    public Policy(HoldfastConfig config, TokenFile tokens) {
        Optional<List<Path>> named = config.policy().file();
        PolicyFiles read = new PolicyFiles(
                named.orElse(List.of(config.dataDir().resolve("policy.yaml"))), named.isEmpty(), System::nanoTime);
        this.files = read::rules;
        this.flaws = read::flaws;
        this.hasTokens = tokens::isThere;
    }

    /** The policy files that can't be used as they stand, and why. Looks at each. */
    public Map<String, String> flaws() {
        return flaws.get();
    }

    /**
     * @param files the rules of each file as they stand
     * @param hasTokens whether there is a tokens file
     */
    Policy(Supplier<List<Rules>> files, BooleanSupplier hasTokens) {
        this.files = files;
        this.flaws = Map::of;
        this.hasTokens = hasTokens;
    }

    private record Judged(Subject subject, Ruling ruling) {
        List<String> words() {
            return subject.command().words().stream().map(Word::text).toList();
        }
    }

    /** Whether it is one of ours, which nothing in {@link Remembered} lifts. */
    public static boolean isBuiltin(@Nullable String rule) {
        return rule != null && rule.startsWith("builtin.");
    }

    public Verdict decide(Action action) {
        List<Rules> now = files.get();
        List<Rules> rules = now.isEmpty() ? List.of(Rules.NONE) : now;
        Set<String> hijacks = new TreeSet<>(now.isEmpty() && !hasTokens.getAsBoolean() ? List.of() : action.hijacks());
        Mode mode = mode(rules, action.actor());
        Optional<String> unknown = mode == Mode.PLAN ? PlanFloor.unknown(action) : Optional.empty();
        List<Judged> judged = new ArrayList<>();
        for (Subject subject : subjects(action)) {
            judged.add(new Judged(subject, Ruling.of(subject, rules, hijacks, unknown)));
        }
        return verdict(judged, mode);
    }

    /** Whether {@link #keysDenied} denies any. */
    public boolean keysCount(Actor actor) {
        return mode(files.get(), actor) == Mode.PLAN;
    }

    /**
     * Of what is typed in a terminal whose program is no shell. In {@code plan}, where only what reads runs, that gets
     * no keys but those that move about in it: a pager runs what follows {@code !}.
     */
    public Optional<Verdict> keysDenied(String typed, Actor actor) {
        return keysCount(actor) && !TypedKeys.onlyMove(typed) ? Optional.of(TypedKeys.denied(typed)) : Optional.empty();
    }

    private static Mode mode(List<Rules> rules, Actor actor) {
        return rules.stream().map(Rules::mode).reduce(actor.mode(), Mode::or);
    }

    private static List<Subject> subjects(Action action) {
        List<Subject> subjects = new ArrayList<>();
        Set<Assignment> ofCommands = new HashSet<>();
        for (SimpleCommand command : action.script().commands()) {
            subjects.add(new Subject(action, command, Classes.TABLE.of(command), true));
            ofCommands.addAll(command.assignments());
        }
        for (Assignment alone : action.script().assignments()) {
            if (Hijacks.isOne(alone) && !ofCommands.contains(alone)) {
                Word written = Word.of(alone.name() + "=" + alone.value());
                subjects.add(new Subject(action, command(written), EnumSet.of(CommandClass.UNKNOWN), true));
            }
        }
        if (Hijacks.expandsToOne(action.text())) {
            Word whole = Word.of(action.text());
            subjects.add(new Subject(action, command(whole), EnumSet.of(CommandClass.UNKNOWN), true));
        }
        // Of a test, a loop: arithmetic and `-v` expand such data once more.
        action.script().asides().stream()
                .flatMap(List::stream)
                .filter(Hijacks::isCode)
                .map(data -> new Subject(action, command(data), EnumSet.of(CommandClass.UNKNOWN), true))
                .forEach(subjects::add);
        if (!action.script().understood() || subjects.isEmpty()) {
            boolean understood = action.script().understood();
            subjects.add(new Subject(
                    action,
                    command(Word.of(action.text())),
                    EnumSet.of(understood ? CommandClass.READ_ONLY : CommandClass.UNKNOWN),
                    understood));
        }
        return subjects;
    }

    private static SimpleCommand command(Word word) {
        return new SimpleCommand(List.of(word), List.of(), List.of(), List.of(), List.of(), null, Runs.NO_TEXT, "");
    }

    private static Verdict verdict(List<Judged> all, Mode mode) {
        Judged decides = all.getFirst();
        Sandbox sandbox = null;
        Set<CommandClass> classes = EnumSet.noneOf(CommandClass.class);
        for (Judged one : all) {
            sandbox = Sandbox.stricter(sandbox, one.ruling().sandbox());
            decides = one.ruling().decision().compareTo(decides.ruling().decision()) > 0 ? one : decides;
            classes.addAll(one.subject().classes());
        }
        if (!all.stream().allMatch(one -> one.subject().classes().contains(CommandClass.READ_ONLY))) {
            classes.remove(CommandClass.READ_ONLY);
        }
        Ruling ruling = decides.ruling();
        return new Verdict(
                ruling.decision(),
                ruling.rule(),
                ruling.reason(),
                decides.words(),
                classes,
                mode,
                all.stream()
                        .map(one -> new Verdict.Command(
                                one.words(),
                                one.subject().classes(),
                                one.ruling().decision(),
                                one.ruling().rule()))
                        .toList(),
                sandbox);
    }
}
