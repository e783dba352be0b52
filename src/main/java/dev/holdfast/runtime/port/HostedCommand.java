package dev.holdfast.runtime.port;

import dev.holdfast.task.Exit;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.Signal;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A command that was started or adopted. All methods are thread-safe; those that may block say so. */
public interface HostedCommand {
    TaskId id();

    /** The command's own process, null as long as the launcher has not started it. */
    @Nullable
    ProcessIdentity process();

    /**
     * Completes, never exceptionally, when the command's own process has ended and its exit is known as well as it ever
     * will be; children that live on do not delay it. Completed on the host's event thread: continue elsewhere.
     */
    CompletableFuture<Exit> exit();

    /**
     * What else is known of how it ended, once {@link #exit} is: {@code out_of_memory} with {@code killed_pid},
     * {@code killed_name} and the {@code evidence}, when the kernel's out-of-memory killer chose a process of it;
     * {@code output_may_be_missing} when nobody could say that all was read that its terminal printed;
     * {@code may_be_signal} when nobody could say whether its exit code was that signal. Never a guess. May read
     * the kernel's log, some milliseconds.
     */
    Map<String, String> endingDetails();

    /**
     * Writes to its stdin or terminal, then closes it when {@code endOfInput}. Blocks until all is taken, or
     * {@code limit} has passed, or its caller waits no longer, and never holds up any other method.
     *
     * @return the bytes taken, fewer than offered when the command does not read
     */
    int write(byte[] bytes, boolean endOfInput, Duration limit);

    /** Whether its stdin was brought to its end, also by a server before this one; a terminal's never is for good. */
    boolean inputEnded();

    /** Whether it is in a terminal that hands on lines, as the kernel edits them: it keeps 4095 bytes of each. */
    boolean takesLines();

    /** Only for a command in a terminal. */
    void resize(TerminalSize size);

    /**
     * Blocks until all that it printed so far is in its output; some milliseconds, or seconds where nobody answers.
     *
     * @return false when nobody reads its terminal just now: then its silence is not its own
     */
    boolean drained();

    /** To its process group (in a terminal: the foreground group too). Its launcher survives every signal. */
    void signal(Signal signal);

    /**
     * TERM to its session, the grace, then KILL of everything the command started, detached or not, until it is
     * verified gone. Blocks meanwhile; a second call joins the first, and a shorter grace shortens it. Where a server
     * before this one has sent TERM, only the grace is waited for.
     *
     * @return pids that still live although they were sent KILL; empty when all is gone
     */
    List<Long> stop(Duration grace);

    /**
     * Whether something that it started may live on, once {@link #exit} is known: something is in its process group, or
     * among those known to be its own. Two system calls where a short command left nothing. Who left group and session
     * of one is only found by {@link CommandHost#left}.
     */
    boolean outlived();

    /** How long it has been running, by the clock that no one sets (CLOCK_BOOTTIME), also across a server restart. */
    Duration age();

    /** Whether one of its processes listens on this TCP port; cheaper than {@link #facts}. */
    boolean listensOn(int port);

    /**
     * What {@code /proc} says now of those who were seen to be its own, and of what descends from them: some 100 µs.
     * Who left them unseen is missed; {@link CommandHost#facts} finds all.
     */
    ProcessFacts facts();

    /** Whether all of it waits for input and nothing else: the sure part of {@link Waiting#INPUT}, and as costly. */
    boolean onlyReads();

    /**
     * A shell that reads commands from the command's input.
     *
     * @param directory where it stands
     * @param inFront whether it reads what comes next; else it waits, and takes what is left when it reads again
     */
    record ReadingShell(Path directory, boolean inFront) {}

    /**
     * The one that takes what is sent now; nothing when none does, or somebody else waits for input. As {@link #facts}
     * finds its processes, and as costly.
     */
    Optional<ReadingShell> readingShell();

    /** Follows the terminal, only of a command in one. Blocks until the keeper answered. */
    TerminalLink openTerminal(TerminalListener listener);

    /** Live bytes of a terminal. Called one at a time, on a thread of the host's: hand over, do not block. */
    interface TerminalListener {
        /** @param from the offset of the first byte in the task's stdout */
        void onOutput(long from, byte[] bytes);

        /** The terminal is closed; nothing follows. */
        void onClose();
    }

    /** An attached watcher; closing it leaves the terminal running. */
    interface TerminalLink extends AutoCloseable {
        /**
         * Blocks until the terminal has taken all of it, which it does as its program reads; it is closed; or {@link
         * #leave}.
         *
         * @throws dev.holdfast.runtime.call.Refusal {@code input_not_consumed}: the terminal cannot be reached; how
         *     much of it was taken is not known
         */
        void write(byte[] bytes);

        /**
         * Nobody waits any more for what he wrote: {@link #write} returns soon, and what the terminal has not taken by
         * then waits for its program as far as there is room, of 1 MiB. Any thread.
         */
        void leave();

        /**
         * What paints the screen on a terminal that was just switched on; what was printed from {@code next} on goes on
         * from there. Null where nobody keeps the screen. Blocks until the keeper answered.
         */
        OutputStore.@Nullable Slice screen();

        /**
         * Never blocks: does nothing and answers false where {@link #write} would have to wait. For keys, not for much:
         * what there is no room for, of 1 MiB, is not taken.
         */
        boolean offer(byte[] bytes);

        @Override
        void close();
    }

    /**
     * @param main the command's own process, null before it runs and after it ended
     * @param ports TCP ports that its processes listen on, sorted
     * @param processes its live processes, the launcher and its own left out
     */
    record ProcessFacts(
            @Nullable MainProcess main, Waiting waiting, List<Integer> ports, List<LiveProcess> processes) {}

    record MainProcess(long pid, Instant startedAt) {}

    /** What a running command is doing, as far as the kernel tells. */
    enum Waiting {
        /** Blocked reading its terminal or stdin. */
        INPUT,
        /** Nothing of it runs and it printed nothing lately. */
        IDLE,
        BUSY
    }

    /**
     * @param name what the kernel calls it, at most 15 bytes
     * @param arguments its command line, at most 4096 bytes of it; empty where it has none (a program that erased it)
     * @param memoryBytes resident set
     * @param cpuTime user and system
     */
    record LiveProcess(
            long pid, long parent, String name, List<String> arguments, long memoryBytes, Duration cpuTime) {}
}
