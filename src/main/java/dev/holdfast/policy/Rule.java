package dev.holdfast.policy;

import dev.holdfast.task.Sandbox;
import org.jspecify.annotations.Nullable;

/**
 * A rule of a policy file.
 *
 * @param line where it begins, from 1
 * @param sandbox of one that allows: the least wall for what it matches
 */
record Rule(
        String id,
        int line,
        Match match,
        Decision decision,
        @Nullable String reason,
        @Nullable Sandbox sandbox) {}
