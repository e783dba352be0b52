package dev.holdfast.runtime;

import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import java.nio.file.Path;

/**
 * The names in a task's folder, {@code <data>/tasks/<id>/}, mode 0700. It is the truth about the process; the row in
 * the database is an index that can be rebuilt from it.
 */
public record TaskFolder(Path path) {
    public static TaskFolder of(Path dataDir, TaskId id) {
        return new TaskFolder(dataDir.resolve("tasks").resolve(id.value()));
    }

    /** What was started, as JSON without values of the environment; renamed into place before the spawn. */
    public Path spec() {
        return path.resolve("spec.json");
    }

    /** Raw bytes of a stream. */
    public Path output(StreamName stream) {
        return path.resolve(
                switch (stream) {
                    case STDOUT -> "out";
                    case STDERR -> "err";
                });
    }

    /** What stood on its terminal's screen when its end came; the keeper's, renamed into place. */
    public Path screen() {
        return path.resolve("screen");
    }

    /** FIFO to the command's stdin; only with input and without a terminal. */
    public Path in() {
        return path.resolve("in");
    }

    /** FIFO that ends the input when a line is written to it. */
    public Path eof() {
        return path.resolve("eof");
    }

    /**
     * Two lines of {@code /proc/self/stat}: the launcher's, then the command's own, written once it was seen. They give
     * pid and start time; with the boot id in the spec that is an identity.
     */
    public Path pid() {
        return path.resolve("pid");
    }

    /** The exit; allocated before the spawn, overwritten in place, complete only in its fixed form. */
    public Path exit() {
        return path.resolve("rc");
    }

    /** The gaps in the output, a line {@code stream from to} each. */
    public Path omitted() {
        return path.resolve("omitted");
    }

    /**
     * Why Holdfast is ending the command, a name of {@code EndedBy}, when it kills, and the grace that ends then; not
     * there while it is not.
     */
    public Path cause() {
        return path.resolve("cause");
    }

    /** There once TERM was sent to end the command: no later server sends it again. */
    public Path asked() {
        return path.resolve("asked");
    }

    /** There while the command is paused because the disk is nearly full. */
    public Path paused() {
        return path.resolve("paused");
    }

    /** There once its task is forgotten: the folder goes as soon as nobody holds its output, and is no task. */
    public Path forgotten() {
        return path.resolve("forgotten");
    }

    /** The answer that was given when the command ended in its window, kept for its idempotency key. */
    public Path answer() {
        return path.resolve("answer.json");
    }
}
