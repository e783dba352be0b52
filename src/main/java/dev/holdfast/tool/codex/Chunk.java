package dev.holdfast.tool.codex;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.render.Receipts;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.Ending;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * What both tools answer: a part of a command's output, and how it stands.
 *
 * @param exitCode null while it runs, -1 for a signal
 * @param sessionId null once it ended
 * @param notes of what it left running, and who holds the port that it failed for
 */
record Chunk(
        String chunkId,
        double wallTimeSeconds,
        @Nullable Integer exitCode,
        @Nullable Long sessionId,
        long originalTokenCount,
        String output,
        @JsonIgnore List<String> notes) {
    private static final int DEFAULT_TOKENS = 10_000;
    private static final int MOST_TOKENS = 64_000;

    /** Of a number as these tools take it: with a fraction, and brought within bounds where it is beyond. */
    static int whole(@Nullable Double asked, int otherwise, int least, int most) {
        return (int) Math.clamp(asked == null ? (double) otherwise : asked, least, most);
    }

    /** How much of the output is wanted. */
    static int tokens(@Nullable Double asked) {
        return whole(asked, DEFAULT_TOKENS, 1, MOST_TOKENS);
    }

    /** @param began when the call did, as {@code System.nanoTime} has it */
    static Chunk of(long began, @Nullable Integer exitCode, @Nullable Long sessionId, long chars, String output) {
        byte[] id = new byte[3];
        ThreadLocalRandom.current().nextBytes(id);
        return new Chunk(
                HexFormat.of().formatHex(id),
                (System.nanoTime() - began) / 1e9,
                exitCode,
                sessionId,
                tokens(chars),
                output,
                List.of());
    }

    /** With what is known of its end, and of what it left running, if it ended. */
    Chunk noting(@Nullable Ending ending, CommandAnswer.@Nullable LeftRunning left) {
        List<String> told = new ArrayList<>();
        Receipts.causeWithoutTask(ending).ifPresent(told::add);
        if (left != null) {
            told.add(Receipts.leftProcesses(left));
            told.add("Run it without &; kill what is left by its pid.");
        }
        return new Chunk(chunkId, wallTimeSeconds, exitCode, sessionId, originalTokenCount, output, told);
    }

    /** Rounded up. */
    static long tokens(long chars) {
        return Math.ceilDiv(chars, Diagnostics.CHARS_PER_TOKEN);
    }

    String text() {
        List<String> lines = new ArrayList<>();
        lines.add("Chunk ID: " + chunkId);
        lines.add(String.format(Locale.ROOT, "Wall time: %.4f seconds", wallTimeSeconds));
        if (exitCode != null) {
            lines.add("Process exited with code " + exitCode);
        }
        if (sessionId != null) {
            lines.add("Process running with session ID " + sessionId);
        }
        lines.addAll(notes);
        lines.add("Original token count: " + originalTokenCount);
        lines.add("Output:");
        lines.add(output);
        return String.join("\n", lines);
    }

    String summary() {
        return sessionId == null
                ? "Process exited with code " + exitCode
                : "Process running with session ID " + sessionId;
    }
}
