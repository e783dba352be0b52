package dev.holdfast.runtime.start;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.runtime.start.Approval.State;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** An approval, and how many callers wait for its answer. Guarded by itself. */
final class Question {
    Approval approval;
    int waiting;

    /** Completes when it is pending no more. */
    final CompletableFuture<Void> answered = new CompletableFuture<>();

    /** Completes when nothing more is to come of it. */
    private final CompletableFuture<Void> over = new CompletableFuture<>();

    Question(Approval approval) {
        this.approval = approval;
        become(approval);
        if (approval.state() != State.PENDING) {
            answered.complete(null);
        }
    }

    synchronized void become(Approval next) {
        approval = next;
        if (next.isOver()) {
            over.complete(null);
        }
    }

    /** Waits until it was answered, and what was allowed has begun; at most for {@code limit}. Not to be locked. */
    void awaitOver(Duration limit) {
        try {
            Patience.await(over, limit);
        } catch (InterruptedException wanted) {
            Thread.currentThread().interrupt();
        }
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
