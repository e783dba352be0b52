package dev.holdfast.runtime.call;

import dev.holdfast.policy.actor.Actor;
import java.util.Optional;
import java.util.function.Supplier;

/** For whom a thread works that serves no request itself, but was started by one that does. */
public final class Acting {
    private static final ScopedValue<Actor> ACTOR = ScopedValue.newInstance();

    private Acting() {}

    /** Does the work for the actor, on this thread. */
    public static <T> T as(Actor actor, Supplier<T> work) {
        return ScopedValue.where(ACTOR, actor).call(work::get);
    }

    /** The same of work without a result. */
    public static void as(Actor actor, Runnable work) {
        ScopedValue.where(ACTOR, actor).run(work);
    }

    /** Nothing on a thread that nobody said it of. */
    public static Optional<Actor> actor() {
        return ACTOR.isBound() ? Optional.of(ACTOR.get()) : Optional.empty();
    }
}
