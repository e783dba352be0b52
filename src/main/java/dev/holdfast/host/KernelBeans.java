package dev.holdfast.host;

import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.kernel.Spawn;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** What of the kernel the server has once: the thread that waits for its events starts when the first asks for it. */
@Singleton
public final class KernelBeans {
    /** Binds what a spawn calls, on a thread of its own: some 20 ms, for which the first command would wait. */
    void bind(@Observes @Priority(1) StartupEvent start) {
        Thread.ofPlatform().name("bind-spawn").daemon().start(Spawn::new);
    }

    @Produces
    @Singleton
    KernelEvents kernelEvents() {
        return new KernelEvents();
    }

    void close(@Disposes KernelEvents events) {
        events.close();
    }
}
