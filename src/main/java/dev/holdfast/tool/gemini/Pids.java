package dev.holdfast.tool.gemini;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.tool.Running;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * The pid of a task's command, as its folder says: the real one, so that {@code kill} works, and known for as long as
 * the task is. The kernel uses pids again; the newest task that had one is meant. Thread-safe.
 */
@Singleton
record Pids(HoldfastConfig config, Tasks tasks, Running running) {
    /** How long it may take a launcher to write the pid of what it started. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Duration LOOK = Duration.ofMillis(5);

    Optional<Task> task(long pid) {
        return running.find(task -> of(task.id()).equals(OptionalLong.of(pid)));
    }

    /** Nothing for one that was never spawned. */
    OptionalLong of(TaskId id) {
        try {
            return Files.readString(TaskFolder.of(config.dataDir(), id).pid(), StandardCharsets.ISO_8859_1)
                    .lines()
                    .skip(1)
                    .filter(line -> line.indexOf(' ') > 0)
                    .mapToLong(line -> Long.parseLong(line.substring(0, line.indexOf(' '))))
                    .findFirst();
        } catch (IOException | NumberFormatException none) {
            return OptionalLong.empty();
        }
    }

    /** {@code Background PIDs: 7, 8}, as that design tells of what a command left running; nothing for none. */
    static Optional<String> left(List<LeftProcess> left) {
        return left.isEmpty()
                ? Optional.empty()
                : Optional.of(left.stream()
                        .map(process -> String.valueOf(process.pid()))
                        .collect(Collectors.joining(", ", "Background PIDs: ", "")));
    }

    /** That of one that was just started, which may be written at any moment; nothing is waited for once it ended. */
    OptionalLong soon(TaskId id) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        OptionalLong pid = of(id);
        while (pid.isEmpty()
                && !Patience.left(until).isZero()
                && !Thread.currentThread().isInterrupted()
                && !tasks.awaitEnd(id, LOOK)) {
            pid = of(id);
        }
        return pid;
    }
}
