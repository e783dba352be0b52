package dev.holdfast.runtime;

import dev.holdfast.duplicate.Fingerprint;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.TaskIds;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Makes of what a caller asks for what is launched: resolved, with its environment and an id of its own. Thread-safe. */
@Singleton
public final class Launches {
    private final CommandResolver resolver;
    private final CommandEnvironment environment;
    private final Fingerprint fingerprint;
    private final TaskIds ids;
    private final InstantSource clock;

    @Inject
    public Launches(
            CommandResolver resolver,
            CommandEnvironment environment,
            Fingerprint fingerprint,
            TaskIds ids,
            InstantSource clock) {
        this.resolver = resolver;
        this.environment = environment;
        this.fingerprint = fingerprint;
        this.ids = ids;
        this.clock = clock;
    }

    /** @throws Refusal what is asked for cannot be, such as a directory that is not there */
    Launch of(StartRequest request, Launch.@Nullable Idempotency idempotency) {
        CommandSpec spec = resolver.resolve(request);
        String duplicateKey = fingerprint.of(resolver.comparable(spec), request.env());
        return new Launch(ids.next(), spec, environment.of(request), clock.instant(), duplicateKey, idempotency);
    }
}
