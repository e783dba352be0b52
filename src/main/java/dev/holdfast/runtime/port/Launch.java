package dev.holdfast.runtime.port;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One command to be started, or as its folder remembers it.
 *
 * @param environment the whole environment the command gets; empty when read back from a folder, for values are never
 *     stored
 * @param duplicateKey what makes it the same as another, a keyed digest
 * @param idempotency the key its caller gave, with a digest of the request; null without one
 * @param startedBy the name of the token that asked for it; null where that is on no record
 * @param endsWithCaller whether it is stopped when its caller goes, who alone knows of it in his window
 * @param window how long it may run before it is stopped, as an item of a batch; null for as long as it likes
 */
public record Launch(
        TaskId id,
        CommandSpec command,
        Map<String, String> environment,
        Instant createdAt,
        String duplicateKey,
        @Nullable Idempotency idempotency,
        @Nullable String startedBy,
        boolean endsWithCaller,
        @Nullable Duration window) {

    /** One that goes on without its caller, whoever that is. */
    public Launch(
            TaskId id,
            CommandSpec command,
            Map<String, String> environment,
            Instant createdAt,
            String duplicateKey,
            @Nullable Idempotency idempotency) {
        this(id, command, environment, createdAt, duplicateKey, idempotency, null, false, null);
    }

    /**
     * One of which no more is known. Its key is nobody else's: values of its environment went into it, which are on no
     * record.
     */
    public static Launch known(TaskId id, CommandSpec command, Instant createdAt) {
        return new Launch(id, command, Map.of(), createdAt, "unknown of " + id, null);
    }

    public Launch {
        environment = Map.copyOf(environment);
    }

    /** As its folder remembers it. */
    public Launch withoutEnvironment() {
        return withEnvironment(Map.of());
    }

    public Launch withEnvironment(Map<String, String> other) {
        return new Launch(id, command, other, createdAt, duplicateKey, idempotency, startedBy, endsWithCaller, window);
    }

    public Launch within(Duration most) {
        return new Launch(
                id, command, environment, createdAt, duplicateKey, idempotency, startedBy, endsWithCaller, most);
    }

    /** Shown without the environment, whose values are secrets. */
    @Override
    public String toString() {
        return "Launch[" + id + ", " + command + "]";
    }

    /** @param bodyDigest SHA-256 of the request's body, hexadecimal */
    public record Idempotency(String key, String bodyDigest) {
        /** The same among the keys of its caller, of which none is another's. */
        public Idempotency of(Actor caller) {
            return new Idempotency(caller.own(key), bodyDigest);
        }
    }
}
