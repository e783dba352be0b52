package dev.holdfast.host;

import dev.holdfast.kernel.Pidfd;
import dev.holdfast.kernel.WaitStatus;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.ProcessIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who a command's launcher and its own process are. The launcher is known from the start; the command is looked for among
 * the launcher's children when it is asked for, since most commands end before anybody asks. Once found it is put down in
 * {@code pid} and held by a pidfd, which tells how it ended should its launcher not. Thread-safe.
 */
final class CommandProcesses implements AutoCloseable {
    private static final Path PROC = Path.of("/proc");

    private final TaskFolder folder;
    private final ProcessIdentity launcher;
    private @Nullable ProcessIdentity command;
    private @Nullable Pidfd held;
    private boolean closed;

    CommandProcesses(TaskFolder folder, ProcessIdentity launcher, @Nullable ProcessIdentity command) {
        this.folder = folder;
        this.launcher = launcher;
        this.command = command;
        if (command != null) {
            held = open(command);
        }
    }

    ProcessIdentity launcher() {
        return launcher;
    }

    /** The session of all that the command starts and does not detach; also its first process group. */
    long session() {
        return launcher.pid();
    }

    /** Null before it has become the user's program, and when it ended before anybody asked. */
    synchronized @Nullable ProcessIdentity command() {
        if (command == null && !closed) {
            findCommand();
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
    synchronized boolean alive() {
        return ProcessTable.alive(launcher) || (command != null && ProcessTable.alive(command));
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
        Optional<ProcessIdentity> found = children(launcher.pid())
                .flatMap(pid -> Stream.ofNullable(ProcessTable.stat(pid)))
                .filter(stat -> stat.alive() && stat.parent() == launcher.pid())
                .filter(stat -> !Launcher.isOwn(stat.arguments()))
                .map(ProcessStat::identity)
                .findFirst();
        if (found.isEmpty() || !ProcessTable.alive(launcher)) {
            return;
        }
        held = open(found.get());
        if (held != null) {
            command = found.get();
            PidFile.append(folder.pid(), found.get());
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

    private static Stream<Long> children(long parent) {
        String pid = Long.toString(parent);
        Path list = PROC.resolve(pid).resolve("task").resolve(pid).resolve("children");
        try {
            String text = Files.readString(list, StandardCharsets.US_ASCII).strip();
            return text.isEmpty()
                    ? Stream.empty()
                    : Arrays.stream(text.split(" ")).map(Long::valueOf);
        } catch (IOException e) {
            // It ended, or this kernel has no such list.
            return Files.isDirectory(PROC.resolve(pid))
                    ? Arrays.stream(ProcFiles.numbers("/proc")).boxed()
                    : Stream.empty();
        }
    }
}
