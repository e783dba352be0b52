package dev.holdfast.task;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a caller who started a command is told. */
public sealed interface CommandAnswer {
    CommandDiagnostics diagnostics();

    /**
     * It ended in its window.
     *
     * @param limit what the limit was, when one of its own ended it (its timeout, its idle timeout), else null
     * @param artifacts the whole output, kept: only when the preview is truncated
     */
    record Completed(
            Ending ending,
            Preview preview,
            @Nullable Duration limit,
            List<Artifact> artifacts,
            Duration duration,
            CommandDiagnostics diagnostics)
            implements CommandAnswer {}

    /** @param because {@code yield_time}, or the name of the condition of {@code yield_when} that held */
    record PromotedToTask(Task task, Preview initial, String because, CommandDiagnostics diagnostics)
            implements CommandAnswer {}

    record AlreadyRunning(Task task, CommandDiagnostics diagnostics) implements CommandAnswer {}

    /** A whole stream kept on disk. */
    record Artifact(Path path, StreamName stream, long bytes) {}
}
