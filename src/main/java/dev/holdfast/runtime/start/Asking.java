package dev.holdfast.runtime.start;

import dev.holdfast.policy.Verdict;
import dev.holdfast.task.CommandSpec;
import org.jspecify.annotations.Nullable;

/**
 * A command that the policy leaves to a person.
 *
 * @param command as it would run
 * @param digest what makes it the same as another one
 * @param suggested the pattern that may be allowed for longer, null where none is safe
 */
record Asking(
        CommandSpec command,
        String digest,
        Verdict verdict,
        @Nullable String suggested) {}
