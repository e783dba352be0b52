package dev.holdfast.runtime;

import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Exit;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalScreen;
import dev.holdfast.task.TerminalSize;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Commands without processes. Each has a folder on disk, empty, for what the use cases keep there. Steps:
 * {@code folder}, {@code spawn} and {@code hostWatch} of a start, which leave nothing; {@code adopt}, {@code forget},
 * {@code read folder}; and its commands'.
 */
public final class FakeHost implements CommandHost {
    private final Path dataDir;
    /** Whose folders were looked into. */
    final Set<TaskId> read = ConcurrentHashMap.newKeySet();

    /** Who listens where. */
    final Map<Integer, Listener> listeners = new ConcurrentHashMap<>();

    /** What lives of ended commands. */
    final Map<TaskId, List<LeftProcess>> left = new ConcurrentHashMap<>();

    final Map<TaskId, TerminalScreen> screens = new ConcurrentHashMap<>();

    /** In the midst of being forgotten. */
    private final Set<TaskId> going = ConcurrentHashMap.newKeySet();

    private final Steps steps;
    private final NavigableMap<TaskId, Held> held =
            new ConcurrentSkipListMap<>(java.util.Comparator.comparing(TaskId::value));
    private final BlockingQueue<FakeCommand> started = new LinkedBlockingQueue<>();

    /** @param command what a server before this one, or this one, runs of it */
    private record Held(Launch launch, FakeCommand command) {}

    public FakeHost(Path dataDir, Steps steps) {
        this.dataDir = dataDir;
        this.steps = steps;
    }

    /** The next command that is started, or was and is not asked for yet. */
    FakeCommand next() {
        try {
            FakeCommand command = started.poll(20, TimeUnit.SECONDS);
            if (command == null) {
                throw new AssertionError("no command was started");
            }
            return command;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Started and not asked for by {@link #next}. */
    int waiting() {
        return started.size();
    }

    void serverDied() {
        held.values().forEach(one -> one.command().serverDied());
    }

    @Override
    public void requireWall(CommandSpec command) {}

    @Override
    public HostedCommand start(Launch launch) {
        steps.pass("folder");
        Path folder = TaskFolder.of(dataDir, launch.id()).path();
        try {
            Files.createDirectories(folder);
            steps.pass("spawn");
            FakeCommand command = new FakeCommand(launch, steps);
            steps.pass("hostWatch");
            held.put(launch.id(), new Held(launch, command));
            started.add(command);
            return command;
        } catch (RuntimeException | Error failure) {
            delete(folder);
            throw failure;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public List<TaskId> ids(Consumer<TaskId> deleted) {
        going.forEach(deleted);
        return List.copyOf(held.keySet());
    }

    @Override
    public Optional<Launch.Idempotency> idempotency(TaskId id) {
        read.add(id);
        return Optional.ofNullable(held.get(id)).map(one -> one.launch().idempotency());
    }

    @Override
    public Optional<Folder> folder(TaskId id) {
        read.add(id);
        steps.pass("read folder");
        return Optional.ofNullable(held.get(id)).map(one -> {
            Exit exit = one.command().exit().getNow(null);
            return exit == null
                    ? new Folder.Running(one.launch())
                    : new Folder.Ended(one.launch(), exit, Instant.EPOCH);
        });
    }

    @Override
    public Folder salvage(Folder.Damaged damaged, @Nullable Task row) {
        return damaged;
    }

    @Override
    public Swept endStrays(TaskId id, Instant endedAt, Duration grace) {
        steps.pass("endStrays");
        List<LeftProcess> ended = left.getOrDefault(id, List.of());
        left.remove(id);
        return new Swept(ended.stream().map(LeftProcess::pid).toList(), List.of());
    }

    @Override
    public List<LeftProcess> left(TaskId id, Instant endedAt) {
        steps.pass("left");
        return left.getOrDefault(id, List.of());
    }

    @Override
    public boolean mayBeLeft(TaskId id) {
        return left.containsKey(id);
    }

    @Override
    public Optional<Listener> listener(Collection<Integer> ports, Collection<HostedCommand> running) {
        steps.pass("listener");
        return Optional.ofNullable(listeners.get(ports.iterator().next()));
    }

    @Override
    public Map<String, String> endingDetails(Folder.Ended ended) {
        return Map.of();
    }

    @Override
    public Map<TaskId, HostedCommand.ProcessFacts> facts(Collection<HostedCommand> commands) {
        return commands.stream().collect(Collectors.toMap(HostedCommand::id, HostedCommand::facts));
    }

    /** Nothing is on it, unless a test says otherwise. */
    @Override
    public TerminalScreen screen(TaskId id, TerminalSize size) {
        return screens.getOrDefault(
                id,
                new TerminalScreen(size, 0, 0, true, Collections.nCopies(size.rows(), ""), "", false, false, true, ""));
    }

    @Override
    public HostedCommand adopt(Folder.Running running) {
        steps.pass("adopt");
        return held.get(running.id()).command();
    }

    @Override
    public void forget(TaskId id, Runnable last) {
        steps.pass("forget");
        going.add(id);
        held.remove(id);
        delete(TaskFolder.of(dataDir, id).path());
        last.run();
        going.remove(id);
    }

    private static void delete(Path folder) {
        try {
            if (Files.exists(folder)) {
                Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                        Files.delete(file);
                        return FileVisitResult.CONTINUE;
                    }
                });
                Files.delete(folder);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
