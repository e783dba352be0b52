package dev.holdfast.runtime.control;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.policy.Action;
import dev.holdfast.policy.Action.On;
import dev.holdfast.policy.Decision;
import dev.holdfast.policy.Policy;
import dev.holdfast.policy.Remembered;
import dev.holdfast.policy.Verdict;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.Audit;
import dev.holdfast.runtime.LiveCommand;
import dev.holdfast.runtime.call.Denial;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.line.TypedLine;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.HostedCommand.ReadingShell;
import dev.holdfast.runtime.port.HostedCommand.Waiting;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.Task;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;

/**
 * Holds what is done with a command that runs to the policy: lines for a shell, stops and signals. Thread-safe; lines
 * cost a look at the command's processes.
 */
@Singleton
public record LiveGuard(Policy policy, Remembered remembered, Audit audit, HoldfastConfig config) {
    /**
     * Input that is about to be written. Whole lines count, over any number of writes, where a shell that reads
     * commands takes them, now or when what it waits for has ended; what another program waits for is data, but for the
     * keys of one in a terminal, where the mode has them count.
     *
     * @throws Refusal {@code command_denied}: nothing of it is to be written
     */
    void input(LiveCommand command, Actor actor, byte[] bytes, boolean endOfInput) {
        boolean terminal = command.launch().command().tty();
        if (terminal) {
            keys(command, actor, bytes);
        }
        TypedLine next = command.typed().with(bytes, endOfInput, terminal);
        if (!next.completed().isBlank()) {
            HostedCommand hosted = command.hosted().join();
            ReadingShell shell =
                    hosted.readingShell().or(() -> shellToCome(command, hosted)).orElse(null);
            if (shell != null) {
                next = next.begun(lines(next, shell, command, actor, bytes));
            }
        }
        command.typed(next);
    }

    /** Whether what ends no line may be refused too. */
    boolean keysCount(Actor actor) {
        return policy.keysCount(actor);
    }

    private void keys(LiveCommand command, Actor actor, byte[] bytes) {
        String typed = new String(bytes, StandardCharsets.UTF_8);
        Verdict denied = policy.keysDenied(typed, actor).orElse(null);
        if (denied == null
                || command.hosted()
                        .join()
                        .readingShell()
                        .filter(ReadingShell::inFront)
                        .isPresent()) {
            return;
        }
        audit.denied(command.task(), actor, denied, "input", bytes);
        throw Denial.of(denied, new Invocation.ShellText(typed, "", false));
    }

    /** One that its own text starts later, and that will read what nobody reads now. */
    private static Optional<ReadingShell> shellToCome(LiveCommand command, HostedCommand hosted) {
        CommandSpec spec = command.launch().command();
        return Action.startsReadingShell(spec.invocation()) && hosted.facts().waiting() != Waiting.INPUT
                ? Optional.of(new ReadingShell(spec.workdir(), false))
                : Optional.empty();
    }

    /**
     * Judges them by themselves, and with what earlier writes began once that is whole: {@code '; rm x} ends a quote.
     *
     * @return what is begun now
     */
    private String lines(TypedLine typed, ReadingShell shell, LiveCommand command, Actor actor, byte[] bytes) {
        String lines = typed.completed();
        if (lines.lines().anyMatch(line -> line.length() > TypedLine.LONGEST)) {
            throw Refusal.invalid(
                    "input",
                    "has a line for a shell of more than " + TypedLine.LONGEST
                            + " characters, which is not looked through",
                    "Break the line, or write a file and run that.");
        }
        Action alone = action(lines, shell, command, actor);
        judge(alone, shell, command, bytes);
        if (!alone.isWhole()) {
            // What the first lines are may be data for a program in front: a quote in it is none.
            lines.lines().forEach(line -> judge(action(line, shell, command, actor), shell, command, bytes));
        }
        if (typed.begun().isEmpty()) {
            return alone.isWhole() ? "" : lines;
        }
        Action whole = action(typed.begun() + lines, shell, command, actor);
        if (!whole.isWhole()) {
            return whole.text();
        }
        judge(whole, shell, command, bytes);
        return "";
    }

    private static Action action(String lines, ReadingShell shell, LiveCommand command, Actor actor) {
        return Action.ofText(
                lines, shell.directory(), Set.of(), command.launch().command().labels(), actor, On.INPUT);
    }

    private void judge(Action action, ReadingShell shell, LiveCommand command, byte[] bytes) {
        Verdict verdict = policy.decide(action);
        Invocation whole = new Invocation.ShellText(action.text(), "", false);
        if (verdict.decision() == Decision.DENY && (shell.inFront() || isByRule(verdict))) {
            audit.denied(command.task(), action.actor(), verdict, "input", bytes);
            throw Denial.ofInput(verdict, whole);
        }
        CommandSpec spec = command.launch().command();
        if (shell.inFront()
                && remembered.settled(action, verdict, spec::sandbox).decision() == Decision.ASK) {
            audit.denied(command.task(), action.actor(), verdict, "input", bytes);
            throw Denial.unasked(
                    "this input",
                    verdict,
                    whole,
                    "Send it as a command of its own, which a person is asked about; or have who keeps the policy file put a"
                            + " rule before that one, with `on: input` and `decision: allow`.");
        }
    }

    /**
     * What a program that does not read leaves to the shell behind it may yet be data: only what is forbidden by name
     * counts.
     */
    private static boolean isByRule(Verdict verdict) {
        return verdict.rule() != null && !verdict.rule().startsWith("mode.");
    }

    /**
     * @param what {@code stop} or {@code signal INT}
     * @throws Refusal {@code command_denied}, by a rule with {@code on: stop}
     */
    void stop(Task task, Actor actor, String what) {
        CommandSpec spec = task.command();
        Verdict verdict = policy.decide(Action.of(spec, actor, On.STOP, config.dataDir()));
        if (verdict.decision() != Decision.ALLOW) {
            audit.denied(task, actor, verdict, what, null);
        }
        if (verdict.decision() == Decision.DENY) {
            throw Denial.of(verdict, spec.invocation());
        }
        if (verdict.decision() == Decision.ASK) {
            throw Denial.unasked(
                    "stops and signals of this",
                    verdict,
                    spec.invocation(),
                    "Leave it running; or have who keeps the policy file put a rule before that one, with `on: stop`,"
                            + " `decision: allow` and the `actor` who may.");
        }
    }
}
