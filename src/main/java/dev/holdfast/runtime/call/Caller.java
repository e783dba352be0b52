package dev.holdfast.runtime.call;

import dev.holdfast.policy.actor.Actor;
import java.util.function.Supplier;

/** Port: who makes the request that the current thread serves, or works for ({@link Acting}). */
@FunctionalInterface
public interface Caller {
    /** @throws IllegalStateException when this thread serves no request: what nobody asked for is not asked here */
    Actor actor();

    /** The same work for the caller of this thread, on whatever thread it is done. */
    default <T> Supplier<T> carrying(Supplier<T> work) {
        Actor actor = actor();
        return () -> Acting.as(actor, work);
    }

    /** {@link Actor#own}. */
    default String own(String given) {
        return actor().own(given);
    }

    /** @throws Refusal {@code forbidden} for who may only look */
    default void mayChange() {
        if (!actor().role().changes()) {
            throw looksOnly(actor());
        }
    }

    /** What an observer is told who wants to change something. */
    static Refusal looksOnly(Actor observer) {
        return new Refusal(
                ErrorKind.FORBIDDEN,
                "The token `" + observer.name() + "` is an observer's: it sees all and changes nothing.",
                "Read and wait with it; to start, feed or stop something, call with an agent's or an operator's token.");
    }
}
