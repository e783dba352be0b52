package dev.holdfast.runtime.start;

import dev.holdfast.policy.Verdict;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.CommandSpec;
import org.jspecify.annotations.Nullable;

/**
 * A command that the policy leaves to a person.
 *
 * @param request from which it was looked up
 * @param actor who wants it
 * @param idempotency the key that its caller gave, null without one
 * @param command as it would run
 * @param digest what makes it the same as another one
 * @param suggested the pattern that may be allowed for longer, null where none is safe
 */
record Asking(
        StartRequest request,
        Actor actor,
        Launch.@Nullable Idempotency idempotency,
        CommandSpec command,
        String digest,
        Verdict verdict,
        @Nullable String suggested) {}
