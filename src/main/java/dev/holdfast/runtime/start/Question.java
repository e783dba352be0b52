package dev.holdfast.runtime.start;

import dev.holdfast.runtime.Replays;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.runtime.start.Approval.State;
import dev.holdfast.task.TaskId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An approval, and how many callers wait for its answer. Guarded by itself. */
final class Question {
    /** As of a shell text, in characters. */
    private static final int LONGEST = 100 * 1024;

    Approval approval;
    int waiting;
    private boolean begins;

    /** Completes when it is pending no more. */
    final CompletableFuture<Void> answered = new CompletableFuture<>();

    /** Completes when nothing more is to come of it: what was allowed has begun too. */
    final CompletableFuture<Void> over = new CompletableFuture<>();

    Question(Approval approval) {
        this.approval = approval;
        become(approval);
        if (approval.state() != State.PENDING) {
            answered.complete(null);
        }
    }

    static Refusal none(String id) {
        return new Refusal(
                ErrorKind.APPROVAL_NOT_FOUND,
                "There is no approval " + id + ".",
                "List them with GET /v1/approvals?state=all; answered ones are forgotten after a while.");
    }

    static Refusal oneTooMany(long pending) {
        return new Refusal(
                ErrorKind.CAPACITY_EXHAUSTED,
                pending + " commands wait for a person already.",
                "Wait until some of them are answered: GET /v1/approvals?state=pending.");
    }

    /** Nobody reads what is longer, and each is held in memory until it is forgotten. */
    static void requireReadable(Asking asking) {
        int length = asking.command().invocation().text().length();
        if (length > LONGEST) {
            throw new Refusal(
                    ErrorKind.INVALID_TOOL_INPUT,
                    "A person has to allow this command, and it has " + length + " characters; at most " + LONGEST
                            + " are asked about.",
                    "Put the long text into a file, and name that.");
        }
    }

    synchronized Approval current() {
        return approval;
    }

    synchronized void become(Approval next) {
        approval = next;
        if (next.isOver()) {
            over.complete(null);
        }
    }

    /** The id of the task that was allowed, for the first who asks; none for others, and where there is none. */
    synchronized Optional<TaskId> takeTask() {
        Optional<TaskId> task = begins ? Optional.empty() : Optional.ofNullable(approval.beginsAs());
        begins = true;
        return task;
    }

    /** Whether the request with that idempotency key waits for its answer or its start, or was denied. */
    synchronized boolean holds(String key) {
        return (!approval.isOver() || approval.state() == State.DENIED)
                && approval.key().key().equals(key);
    }

    /** @throws Refusal {@code idempotency_key_reused}, where it holds the key for another one */
    synchronized void refuseOtherBody(Launch.Idempotency idempotency) {
        if (holds(idempotency.key())) {
            Replays.refuseOtherBody(idempotency, approval.key().bodyDigest());
        }
    }

    /**
     * Whether it asks for the same already, or was allowed and has not begun; then its caller counts among those who
     * wait. Who repeats a key that was denied is told so: the person has answered.
     */
    synchronized boolean joins(Asking asking, boolean endsWithCaller) {
        Launch.Idempotency idempotency = asking.idempotency();
        boolean open = !approval.isOver() || (idempotency != null && holds(idempotency.key()));
        boolean same = open
                && approval.actor().name().equals(asking.actor().name())
                && approval.asked().digest().equals(asking.digest())
                && approval.asked().endsWithCaller() == endsWithCaller
                && (idempotency == null || idempotency.equals(approval.key()));
        waiting += same ? 1 : 0;
        return same;
    }
}
