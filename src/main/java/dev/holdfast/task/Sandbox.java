package dev.holdfast.task;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A wall around a command, made by bubblewrap: what it may write, and whether it reaches the network.
 *
 * @param network whether the machine's network is there
 */
public record Sandbox(Files files, boolean network) {
    private static final String WITH_NETWORK = "+network";

    /** What the command may write; a private {@code /tmp} always. From the higher wall to the lower. */
    public enum Files {
        READ_ONLY,
        WORKSPACE_WRITE;

        /** As requests and answers have it. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** As {@link #toString} gives it. */
    public static Sandbox parse(String text) {
        boolean network = text.endsWith(WITH_NETWORK);
        String files = network ? text.substring(0, text.length() - WITH_NETWORK.length()) : text;
        return new Sandbox(Files.valueOf(files.toUpperCase(Locale.ROOT)), network);
    }

    /** What lets through only what both do; null stands for no wall. */
    public static @Nullable Sandbox stricter(@Nullable Sandbox one, @Nullable Sandbox other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        Files higher = one.files.compareTo(other.files) <= 0 ? one.files : other.files;
        return new Sandbox(higher, one.network && other.network);
    }

    /** {@code read_only} or {@code workspace_write}, perhaps with {@code +network}: as rows and folders keep it. */
    @Override
    public String toString() {
        return files + (network ? WITH_NETWORK : "");
    }
}
