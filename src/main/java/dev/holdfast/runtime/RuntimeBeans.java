package dev.holdfast.runtime;

import dev.holdfast.task.TaskIds;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.security.SecureRandom;
import java.time.InstantSource;

/** The clock and what is made with it. */
final class RuntimeBeans {
    @Produces
    @Singleton
    InstantSource clock() {
        return InstantSource.system();
    }

    @Produces
    @Singleton
    TaskIds taskIds(InstantSource clock) {
        return new TaskIds(clock, new SecureRandom());
    }
}
