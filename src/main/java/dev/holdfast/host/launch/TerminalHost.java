package dev.holdfast.host.launch;

import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalScreen;
import dev.holdfast.task.TerminalSize;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Holds terminals outside this process, so that they outlive it. All methods may block on the keeper's answer. */
public interface TerminalHost {
    /** Of a second at most. */
    int LAST_WORDS_TRIES = 5;

    /**
     * Starts the launcher as the leader of a new terminal of the launch's size, in its workdir, with its environment.
     *
     * @param folder the task's folder, made already; the terminal's bytes go to {@code out} in it
     * @throws dev.holdfast.runtime.call.Refusal {@code command_spawn_failed}: nothing runs
     */
    void start(Launch launch, Path folder, List<String> launcherArgv);

    /**
     * @return the bytes taken within {@code limit}; {@code eof} types the end-of-file character after them
     * @throws dev.holdfast.runtime.call.Refusal {@code input_not_consumed}: the keeper does not answer
     */
    int write(TaskId id, byte[] bytes, boolean eof, Duration limit);

    /** @throws dev.holdfast.runtime.call.Refusal {@code input_not_consumed}: the keeper does not answer */
    void resize(TaskId id, TerminalSize size);

    /** {@link dev.holdfast.runtime.port.CommandHost#screen}. */
    TerminalScreen screen(TaskId id, TerminalSize size);

    /** @throws dev.holdfast.runtime.call.Refusal {@code input_not_consumed}: the keeper does not answer */
    HostedCommand.TerminalLink attach(TaskId id, HostedCommand.TerminalListener listener);

    /**
     * Blocks, at most 100 ms where the keeper answers, until all that the terminal printed so far is in {@code out}.
     *
     * @return false when the disk has no room for it, or when the keeper does not answer, for some seconds or since
     *     longer, or died before the command ended: what it printed is not known
     */
    boolean drained(TaskId id);

    /** The same at a command's end, with patience for a keeper that is held up, as on a busy machine. */
    default boolean saidAll(TaskId id) {
        return Stream.generate(() -> drained(id)).limit(LAST_WORDS_TRIES).anyMatch(all -> all);
    }

    /**
     * Runs {@code action} once, on any thread, when this task's terminal is held no longer, as far as is known: it was
     * closed, or its keeper went away. At once when it is not held now. Must not block.
     */
    void onRelease(TaskId id, Runnable action);
}
