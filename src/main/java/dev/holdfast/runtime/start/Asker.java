package dev.holdfast.runtime.start;

import java.util.function.Supplier;

/** Somebody at the other end of a request who can be asked at once, besides those who look at the list of approvals. */
@FunctionalInterface
public interface Asker {
    /** Bound to the thread that serves the request. */
    ScopedValue<Asker> OF_CALLER = ScopedValue.newInstance();

    /** Asks and comes back at once; the answer is a decision like any other. */
    void ask(Approval approval);

    /** Runs {@code work} on this thread, with somebody to ask. */
    default <T> T during(Supplier<T> work) {
        return ScopedValue.where(OF_CALLER, this).call(work::get);
    }
}
