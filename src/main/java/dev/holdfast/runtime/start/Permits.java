package dev.holdfast.runtime.start;

import dev.holdfast.policy.Verdict;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.TokenFile;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Sandbox;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Looks a command up and has it allowed: by the policy, or by the person that the policy leaves it to. Thread-safe. */
@Singleton
public record Permits(Launches launches, Walls walls, Guard guard, Approvals approvals, TokenFile tokens) {
    /** What came of it. */
    sealed interface Permit {
        /**
         * @param id for the task, should it become one
         * @param approval by which it was, null where nobody was asked
         */
        record Granted(
                CommandSpec command, TaskId id, @Nullable Approval approval) implements Permit {}

        /** It runs already, so that nobody is asked. */
        record Running(Task task) implements Permit {}

        /** Nobody has answered yet. */
        record Open(Approval approval) implements Permit {}
    }

    /**
     * Blocks while a person is asked, at most for {@code wait}.
     *
     * @param withdrawn why the question is over then, if nobody has answered; null: it stays open
     * @param running the task that runs by a duplicate key and will do as well
     * @throws Refusal {@code command_denied}, or what a look-up or a question refuses
     */
    Permit of(
            StartRequest request,
            Actor actor,
            Launch.@Nullable Idempotency idempotency,
            Duration wait,
            @Nullable String withdrawn,
            Function<String, Optional<Task>> running) {
        CommandSpec bare = launches.command(request, actor);
        TaskId id = launches.nextId();
        Function<Verdict, CommandSpec> walled =
                verdict -> walls.around(bare, request.wall(), Sandbox.stricter(actor.sandbox(), verdict.sandbox()));
        Guard.Ruling ruling = guard.check(bare, request.env(), actor, id, walled);
        CommandSpec command = walled.apply(ruling.verdict());
        if (!ruling.asks()) {
            return new Permit.Granted(command, id, null);
        }
        String digest = launches.digest(command, request);
        Asking asking = new Asking(request, actor, idempotency, command, digest, ruling.verdict(), ruling.suggested());
        Optional<Task> same = running.apply(digest);
        if (same.isPresent()) {
            return new Permit.Running(same.get());
        }
        Approval approval = approvals.ask(asking, wait, withdrawn);
        return switch (approval.state()) {
            case PENDING -> new Permit.Open(approval);
            case ALLOWED -> {
                TaskId now = approvals.taskOf(approval);
                yield new Permit.Granted(again(now, request, approval), now, approval);
            }
            case DENIED, EXPIRED -> throw Guard.refusal(approval);
        };
    }

    /**
     * The command that a person allowed, looked up anew: a moment has passed.
     *
     * @param id the one it has if it is started
     * @throws Refusal what may have come in between: its folder is another one, a rule denies it, or its token does
     */
    CommandSpec again(TaskId id, StartRequest request, Approval approval) {
        try {
            if (approval.valuesLost()) {
                throw guard.overtaken(
                        approval, Approval.VALUES_LOST, "Send it again, with them, to have it asked for anew.");
            }
            Actor actor = byNow(approval);
            CommandSpec command = launches.command(request, actor);
            if (!command.workdir().toString().equals(approval.asked().workdir())) {
                throw moved(approval, command);
            }
            Sandbox now = Sandbox.stricter(actor.sandbox(), guard.checkAgain(command, actor, approval, id));
            return walls.around(
                    command, request.wall(), Sandbox.stricter(approval.asked().sandbox(), now));
        } catch (Refusal refusal) {
            approvals.refused(approval.id(), refusal);
            throw refusal;
        }
    }

    /** With what its token says by now. */
    private Actor byNow(Approval approval) {
        Actor asked = approval.actor();
        Actor now = byNow(asked).orElse(null);
        if (now == null || !now.role().changes()) {
            throw guard.overtaken(
                    approval,
                    "The token " + asked.name() + ", which asked for it, "
                            + (now == null ? "is there no more." : "may only look by now."),
                    "Have somebody send the command whose token may start it.");
        }
        return now;
    }

    private Optional<Actor> byNow(Actor before) {
        return before.name().equals(Actor.OPERATOR.name()) ? Optional.of(before) : tokens.named(before.name());
    }

    /** Whether its token says by now what it did: one that was removed or changed opens nothing new. */
    boolean isAsBefore(Actor actor) {
        return byNow(actor).equals(Optional.of(actor));
    }

    private static Refusal moved(Approval approval, CommandSpec command) {
        return new Refusal(
                ErrorKind.WORKDIR_NOT_FOUND,
                "The working directory was " + approval.asked().workdir() + " when it was asked for, and is "
                        + command.workdir() + " now.",
                "Send the command again to have it asked for anew.",
                Map.of("workdir", approval.asked().workdir()));
    }
}
