package dev.holdfast.runtime.port;

import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Exit;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalScreen;
import dev.holdfast.task.TerminalSize;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs commands: each in a folder of its own, in a session of its own, under a launcher that records its exit, so that
 * the server's death costs nothing. All methods are thread-safe.
 */
public interface CommandHost {
    /**
     * Puts the launch on record on disk, then spawns it.
     *
     * @throws Refusal {@code command_spawn_failed}: nothing runs, and its folder is gone again
     */
    HostedCommand start(Launch launch);

    /**
     * Sees that a command can run behind its wall here. That walls can be had is found out once; that they cannot, each
     * time, some 20 ms.
     *
     * @param command with a wall
     * @throws Refusal {@code sandbox_unavailable}, naming the remedy, or {@code workdir_not_found} for one that is not
     *     there behind the wall
     */
    void requireWall(CommandSpec command);

    /** Of everything the data folder holds, in order. */
    default List<TaskId> ids() {
        return ids(_ -> {});
    }

    /**
     * @param deleted is told of each whose {@link #forget} is not finished: at a start, those to be forgotten again
     */
    List<TaskId> ids(Consumer<TaskId> deleted);

    /** The key that the command was started with, if it was; much cheaper than {@link #folder}. */
    Optional<Launch.Idempotency> idempotency(TaskId id);

    /** What the folder of {@code id} says, or nothing where there is none. */
    Optional<Folder> folder(TaskId id);

    /**
     * What a damaged folder tells when its command is known from elsewhere. What lives of it is running, so that it
     * keeps an owner, and its record is written anew, from the row or else from what its processes show: the command
     * then, but neither its labels nor its limits.
     *
     * @param row the task as the database has it, null without a row
     * @return still damaged when nothing of it lives and no row names it
     */
    Folder salvage(Folder.Damaged damaged, @Nullable Task row);

    /**
     * Ends what lives of a command that is over, by its session and its marker, or by the marker alone where its folder
     * is gone or its session's number may be another's by now. Blocks: the grace, and some seconds at most. Warned of
     * are those that could not be ended.
     *
     * @param endedAt when the command was over, as far as it is known
     * @param grace between TERM and KILL
     */
    Swept endStrays(TaskId id, Instant endedAt, Duration grace);

    /**
     * What lives of a command that is over, found as {@link #endStrays} finds it. Some milliseconds; where anything
     * lives not before a tenth of a second after the end, so that what is about to end by itself is not told.
     */
    List<LeftProcess> left(TaskId id, Instant endedAt);

    /** Whether it is worth a look: something of it was seen to live. Asks the kernel little or nothing. */
    boolean mayBeLeft(TaskId id);

    /**
     * {@link HostedCommand#endingDetails} of a command that ended while no server ran. Waits some seconds for a
     * terminal's keeper that does not answer.
     */
    Map<String, String> endingDetails(Folder.Ended ended);

    /** {@link HostedCommand#facts} of each of these, of whoever belongs to it, by one look for all of them together. */
    Map<TaskId, HostedCommand.ProcessFacts> facts(Collection<HostedCommand> commands);

    /**
     * What stands on the screen of a command in a terminal, and once that is closed what stood there last. Where nobody
     * kept it, it is drawn again from the last 1 MiB of the output. May block for some seconds where the keeper is
     * stuck.
     *
     * @param size the terminal's, for drawing
     */
    TerminalScreen screen(TaskId id, TerminalSize size);

    /** Takes a running command of a former server as its own again. */
    HostedCommand adopt(Folder.Running running);

    /** Deletes the folder of an ended command. */
    default void forget(TaskId id) {
        forget(id, () -> {});
    }

    /**
     * The same, also where that was begun before.
     *
     * @param last what is to go with it: done once nothing of it takes space, while {@link #ids} can still tell of it
     */
    void forget(TaskId id, Runnable last);

    /**
     * Pids that were there, none as a rule, and those of them that live although they were sent KILL, or may not be
     * signalled.
     */
    record Swept(List<Long> found, List<Long> survivors) {}

    /**
     * Who listens on the first of these TCP ports that anybody listens on, in our own network namespace; nothing where
     * nobody does. Some ten milliseconds, more with many processes.
     *
     * @param running whose processes are looked at first
     */
    Optional<Listener> listener(Collection<Integer> ports, Collection<HostedCommand> running);

    /**
     * @param pid null when it is not ours to know: another user's
     * @param task by its group or its marker, perhaps one that has ended, or another server's; null when it is none's
     */
    record Listener(int port, @Nullable Long pid, @Nullable TaskId task) {}

    /** What a task's folder holds, as truth about its process. */
    sealed interface Folder {
        TaskId id();

        /** Its launcher or its command is alive, or, where nobody put down who that is, something that it started. */
        record Running(Launch launch) implements Folder {
            @Override
            public TaskId id() {
                return launch.id();
            }
        }

        /** It ended; {@code endedAt} is when its exit was written, or when it was last seen to write. */
        record Ended(Launch launch, Exit exit, Instant endedAt) implements Folder {
            @Override
            public TaskId id() {
                return launch.id();
            }
        }

        /** Its server died before the command was started, in this boot; there is nothing to keep. */
        record Unborn(TaskId id) implements Folder {}

        /** Its record cannot be read; {@code problem} says why. */
        record Damaged(TaskId id, String problem) implements Folder {}
    }
}
