package dev.holdfast.runtime.wait;

import org.jspecify.annotations.Nullable;

/** What became of a condition. */
sealed interface Outcome {
    /** It came true. */
    record True(@Nullable Found found) implements Outcome {}

    /** Its task ended without it. */
    record Impossible() implements Outcome {}

    /** It could not be looked at. */
    record Failed(RuntimeException failure) implements Outcome {}

    /** @param cursor as callers take it up again */
    record Found(String text, String cursor) {}
}
