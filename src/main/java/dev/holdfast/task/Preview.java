package dev.holdfast.task;

import org.jspecify.annotations.Nullable;

/**
 * What of a command's output is shown: head and tail of each stream, as text.
 *
 * @param stdout null when the stream is empty
 * @param stderr null when the stream is empty
 * @param truncated whether bytes were left out of either
 */
public record Preview(@Nullable String stdout, @Nullable String stderr, boolean truncated) {
    public static final Preview EMPTY = new Preview(null, null, false);
}
