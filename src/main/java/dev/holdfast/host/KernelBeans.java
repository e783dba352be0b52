package dev.holdfast.host;

import dev.holdfast.kernel.KernelEvents;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Makes the one thread that waits for kernel events a bean; it starts when the first asks for it. */
@Singleton
public final class KernelBeans {
    @Produces
    @Singleton
    KernelEvents kernelEvents() {
        return new KernelEvents();
    }

    void close(@Disposes KernelEvents events) {
        events.close();
    }
}
