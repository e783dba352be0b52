package dev.holdfast.runtime;

import dev.holdfast.policy.Verdict;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.classes.CommandClass;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.Journal;
import dev.holdfast.runtime.port.Journal.Action;
import dev.holdfast.runtime.port.Journal.Line;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.Sha256;
import dev.holdfast.task.Signal;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * What is told to the journal, and by whom. What is new (a decision, a start, input, an approval) is refused with
 * {@code storage_full} where it cannot be told; what ends something happens all the same. Thread-safe.
 */
@Singleton
public final class Audit {
    /** What the times of its lines leave away, and a clock that is set back a little. */
    private static final Duration CLOCK = Duration.ofSeconds(1);

    private static final int PAGE = 1000;
    private static final Logger LOG = Logger.getLogger(Audit.class);

    private final Journal journal;
    private final Caller caller;
    /** By a former server, of commands that this one starts. */
    private final Set<Told> told = ConcurrentHashMap.newKeySet();

    private record Told(TaskId id, Action action) {}

    public Audit(Journal journal, Caller caller) {
        this.journal = journal;
        this.caller = caller;
    }

    /**
     * Of a command, before anything of it is there.
     *
     * @param id the one it has if it is started
     * @param detail the approval that it goes by, null for none
     */
    public void decided(
            CommandSpec command, Actor actor, Verdict verdict, @Nullable TaskId id, @Nullable String detail) {
        writeOnce(new Line(
                actor.name(),
                Action.DECISION,
                id,
                lower(verdict.decision()),
                verdict.rule(),
                names(verdict.classes()),
                Diagnostics.summary(command.invocation()),
                null,
                null,
                detail));
    }

    /**
     * Of what somebody would do with a command that runs, and may not. What is allowed has the line of what is done.
     *
     * @param what {@code input}, {@code stop}, {@code signal INT}
     * @param input the bytes that are not written, null where it is none
     */
    public void denied(Task task, Actor actor, Verdict verdict, String what, byte @Nullable [] input) {
        journal.tell(new Line(
                actor.name(),
                Action.DECISION,
                task.id(),
                "deny",
                verdict.rule(),
                names(verdict.classes()),
                Diagnostics.summary(task.command().invocation()),
                input == null ? null : (long) input.length,
                input == null ? null : Sha256.of(input),
                what));
    }

    /** Of what a person allowed, and what does not start because of what has come in between. */
    public void overtaken(String actor, Collection<CommandClass> classes, String cmdPreview, String approval) {
        journal.tell(
                new Line(actor, Action.DECISION, null, "deny", null, names(classes), cmdPreview, null, null, approval));
    }

    /** Of a text that a tool's own rule denies, before the policy is asked. */
    public void denied(String cmd, String rule) {
        String preview = Diagnostics.summary(new Invocation.ShellText(cmd, "bash", false));
        journal.write(new Line(asking(), Action.DECISION, null, "deny", rule, null, preview, null, null, null));
    }

    /** A person's answer to what was asked. */
    public void approval(
            String actor,
            String decision,
            @Nullable String rule,
            Collection<CommandClass> classes,
            String cmdPreview,
            String approval) {
        journal.write(new Line(
                actor, Action.APPROVAL, null, decision, rule, names(classes), cmdPreview, null, null, approval));
    }

    /** That nobody answered in time. */
    public void expired(@Nullable String rule, Collection<CommandClass> classes, String cmdPreview, String approval) {
        journal.tell(new Line(
                Actor.SYSTEM, Action.APPROVAL, null, "expire", rule, names(classes), cmdPreview, null, null, approval));
    }

    void starts(Launch launch) {
        String actor = starter(launch.command(), launch.startedBy());
        writeOnce(ofCommand(actor, Action.START, launch.id(), launch.command(), null));
    }

    /** Whether an answer was told, or that nobody gave one, since it was put down. Reads what was told since. */
    public boolean answered(String approval, Instant since) {
        return toldSince(since, null)
                .anyMatch(line -> line.action() == Action.APPROVAL && approval.equals(line.detail()));
    }

    /** What a former server has told since then of a command that it did not start is not told again by this one. */
    public void goOnWith(@Nullable TaskId id, Instant since) {
        if (id != null) {
            toldSince(since, id).forEach(line -> told.add(new Told(id, line.action())));
        }
    }

    /** None where that cannot be read. */
    private Stream<Line> toldSince(Instant since, @Nullable TaskId id) {
        List<Line> lines = new ArrayList<>();
        try {
            for (Long after = 0L; after != null; ) {
                Journal.Page page = journal.read(new Journal.Query(since.minus(CLOCK), id, PAGE, after));
                page.entries().forEach(entry -> lines.add(entry.line()));
                after = page.next();
            }
        } catch (Refusal unreadable) {
            LOG.warnf("What a former server told is not known: %s", unreadable.getMessage());
        }
        return lines.stream();
    }

    private void writeOnce(Line line) {
        TaskId id = line.taskId();
        if (id == null || !told.remove(new Told(id, line.action()))) {
            journal.write(line);
        }
    }

    /** What was told to start could not be spawned. */
    void startFailed(Launch launch) {
        journal.tell(ofCommand(Actor.SYSTEM, Action.END, launch.id(), launch.command(), "not started"));
    }

    public void input(TaskId id, byte[] bytes) {
        journal.write(fed(asking(), id, bytes));
    }

    /** Who asks now, for what comes on other threads. */
    public String asking() {
        try {
            return caller.actor().name();
        } catch (IllegalStateException nobody) {
            return Actor.SYSTEM;
        }
    }

    /** Somebody begins to type into a terminal. */
    public void typing(String actor, TaskId id) {
        journal.write(ofTask(actor, Action.INPUT, id, "typing"));
    }

    public void typed(String actor, TaskId id, byte[] bytes) {
        journal.write(fed(actor, id, bytes));
    }

    /** What has reached the terminal and was not told. */
    public void typedBefore(String actor, TaskId id, byte[] bytes) {
        journal.tell(fed(actor, id, bytes));
    }

    public void signal(TaskId id, Signal signal) {
        journal.tell(ofTask(asking(), Action.SIGNAL, id, signal.name()));
    }

    public void stop(TaskId id, Duration grace) {
        journal.tell(ofTask(asking(), Action.STOP, id, grace.isZero() ? "force" : "grace " + grace.toMillis() + " ms"));
    }

    void stopAt(EndedBy limit, TaskId id) {
        journal.tell(ofTask(Actor.SYSTEM, Action.STOP, id, lower(limit)));
    }

    /**
     * By who started it, unless the server ended it or nobody knows.
     *
     * @param startedBy null where that is on no record
     */
    void ended(Task task, @Nullable String startedBy) {
        Ending ending = Objects.requireNonNull(task.ending());
        String actor = switch (ending.endedBy()) {
            case EXIT, SIGNAL, STOP -> starter(task.command(), startedBy);
            case TIMEOUT, IDLE_TIMEOUT, OUTPUT_LIMIT, REBOOT, UNKNOWN -> Actor.SYSTEM;
        };
        Object exit = ending.exitStatus() == null ? ending.exitSignal() : ending.exitStatus();
        String how = lower(ending.endedBy()) + (exit == null ? "" : " " + exit);
        journal.tell(ofCommand(actor, Action.END, task.id(), task.command(), how));
    }

    private static String starter(CommandSpec command, @Nullable String startedBy) {
        String owner = Objects.requireNonNullElse(command.owner(), Actor.OPERATOR.name());
        return Objects.requireNonNullElse(startedBy, owner);
    }

    private static Line ofCommand(
            String actor, Action action, TaskId id, CommandSpec command, @Nullable String detail) {
        String preview = Diagnostics.summary(command.invocation());
        return new Line(actor, action, id, null, null, null, preview, null, null, detail);
    }

    private static Line ofTask(String actor, Action action, TaskId id, String detail) {
        return new Line(actor, action, id, null, null, null, null, null, null, detail);
    }

    private static Line fed(String actor, TaskId id, byte[] bytes) {
        return new Line(actor, Action.INPUT, id, null, null, null, null, (long) bytes.length, Sha256.of(bytes), null);
    }

    private static List<String> names(Collection<CommandClass> classes) {
        return classes.stream().map(Audit::lower).sorted().toList();
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
