package dev.holdfast.runtime.start;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.runtime.start.Approval.State;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** An approval, and how many callers wait for its answer. Guarded by itself. */
final class Question {
    Approval approval;
    int waiting;

    /** Completes when it is pending no more. */
    final CompletableFuture<Void> answered = new CompletableFuture<>();

    Question(Approval approval) {
        this.approval = approval;
    }

    /** Whether the request with that idempotency key waits for its answer, or was denied. */
    synchronized boolean holds(String key) {
        return (approval.state() == State.PENDING || approval.state() == State.DENIED)
                && approval.key().key().equals(key);
    }

    /**
     * Whether it asks for the same already; then its caller counts among those who wait. Who repeats a key that was
     * denied is told so: the person has answered.
     */
    synchronized boolean joins(
            Asking asking, Actor actor, Launch.@Nullable Idempotency idempotency, boolean endsWithCaller) {
        boolean open = approval.state() == State.PENDING || (idempotency != null && holds(idempotency.key()));
        boolean same = open
                && approval.actor().name().equals(actor.name())
                && approval.digest().equals(asking.digest())
                && approval.endsWithCaller() == endsWithCaller
                && (idempotency == null || idempotency.equals(approval.key()));
        waiting += same ? 1 : 0;
        return same;
    }
}
