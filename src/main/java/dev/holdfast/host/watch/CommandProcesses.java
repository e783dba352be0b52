package dev.holdfast.host.watch;

import dev.holdfast.host.launch.PidFile;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.Pidfd;
import dev.holdfast.kernel.WaitStatus;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.ProcessIdentity;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who a command's launcher and its own process are. The launcher is known from the start; the command is looked for
 * among the launcher's children when it is asked for, since most commands end before anybody asks. Once found it is put
 * down in {@code pid} and held by a pidfd, which tells how it ended should its launcher not. Thread-safe.
 */
public final class CommandProcesses implements AutoCloseable {
    private final TaskFolder folder;
    private final ProcessIdentity launcher;
    private @Nullable ProcessIdentity command;
    private @Nullable Pidfd held;
    private boolean closed;

    public CommandProcesses(TaskFolder folder, ProcessIdentity launcher, @Nullable ProcessIdentity command) {
        this.folder = folder;
        this.launcher = launcher;
        this.command = command;
        if (command != null) {
            held = open(command);
        }
    }

    public ProcessIdentity launcher() {
        return launcher;
    }

    /** The session of all that the command starts and does not detach; also its first process group. */
    public long session() {
        return launcher.pid();
    }

    /**
     * Null before it has become the user's program, when it ended before anybody asked, and when it cannot be looked
     * for now, for want of a descriptor.
     */
    public synchronized @Nullable ProcessIdentity command() {
        if (command == null && !closed) {
            try {
                findCommand();
            } catch (ErrnoException | UncheckedIOException cannotLook) {
                return command; // who asks next looks again
            }
        }
        return command;
    }

    /** What is to be shown and stopped in place of a command that nobody saw; how it ends says nothing. */
    synchronized void standIn(ProcessIdentity orphan) {
        command = orphan;
    }

    /** The command if it is alive, whoever its parent is now. */
    synchronized Optional<Pidfd> liveCommand() {
        return Optional.ofNullable(held);
    }

    /** How the command itself ended, where this kernel tells and it was found in time. */
    synchronized Optional<WaitStatus> commandExit() {
        return held == null ? Optional.empty() : held.exit();
    }

    /** Whether the launcher or the command is alive, so that the session is still theirs. */
    public synchronized boolean alive() {
        return ProcessTable.alive(launcher) || ProcessTable.alive(command);
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (held != null) {
            held.close();
            held = null;
        }
    }

    private void findCommand() {
        ProcessTable table = ProcessTable.below(Set.of(launcher.pid()));
        Optional<ProcessIdentity> found = Optional.ofNullable(table.find(launcher))
                .flatMap(top -> WallProcesses.commandOf(top, table))
                .map(ProcessStat::identity);
        if (found.isEmpty() || !ProcessTable.alive(launcher)) {
            return;
        }
        held = open(found.get());
        if (held != null) {
            command = found.get();
            PidFile.append(folder.pid(), launcher, found.get());
        }
    }

    /** Held from now on: the identity is compared after the opening, from when on it cannot change. */
    static @Nullable Pidfd open(ProcessIdentity identity) {
        Pidfd pidfd = Pidfd.open(identity.pid()).orElse(null);
        if (pidfd != null && !ProcessTable.alive(identity)) {
            pidfd.close();
            return null;
        }
        return pidfd;
    }
}
