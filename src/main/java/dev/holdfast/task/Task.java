package dev.holdfast.task;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A command on record. Immutable; {@link TaskLifecycle} makes the next one.
 *
 * @param promotedAt when it became a task, null while it is in its caller's window
 * @param ending null until it ended
 * @param version of its row, for optimistic locking; 0 before it has one
 */
public record Task(
        TaskId id,
        CommandSpec command,
        TaskStatus status,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant promotedAt,
        Instant updatedAt,
        @Nullable Instant endedAt,
        @Nullable Ending ending,
        long version) {

    public static Task queued(TaskId id, CommandSpec command, Instant now) {
        return new Task(id, command, TaskStatus.QUEUED, now, null, null, now, null, null, 0);
    }

    public Task withVersion(long newVersion) {
        return new Task(id, command, status, createdAt, startedAt, promotedAt, updatedAt, endedAt, ending, newVersion);
    }

    /** The same command in a terminal of another size. */
    public Task withCommand(CommandSpec changed, Instant now) {
        return new Task(id, changed, status, createdAt, startedAt, promotedAt, now, endedAt, ending, version);
    }

    Task started(TaskStatus next, Instant now) {
        return new Task(id, command, next, createdAt, now, promotedAt, now, endedAt, ending, version);
    }

    Task promoted(Instant now) {
        return new Task(id, command, status, createdAt, startedAt, now, now, endedAt, ending, version);
    }

    Task withStatus(TaskStatus next, Instant now) {
        return new Task(id, command, next, createdAt, startedAt, promotedAt, now, endedAt, ending, version);
    }

    Task ended(TaskStatus next, Ending how, Instant now) {
        return new Task(id, command, next, createdAt, startedAt, promotedAt, now, now, how, version);
    }
}
