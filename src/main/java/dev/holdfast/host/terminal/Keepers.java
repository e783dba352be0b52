package dev.holdfast.host.terminal;

import dev.holdfast.config.OwnFiles;
import dev.holdfast.keeper.message.Protocol;
import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The keepers of a data folder, by version, which is what they run from. A new terminal goes to the one of this
 * server's version, which is started when there is none. Those of other versions, which former servers left, go on with
 * what they hold, get nothing new, and leave when they hold nothing. Thread-safe.
 */
final class Keepers implements AutoCloseable {
    private final Path folder;
    private final Duration idle;
    private final MissedOutput missed;
    private final KeeperProcess process;
    /** Never fewer: one that has left is found to be gone at each look. */
    private final Map<String, KeeperLink> links = new ConcurrentHashMap<>();

    private @Nullable Path installation;

    /** Finds the keepers that live, without talking to them. */
    Keepers(Path dataDir, Duration idle, KernelEvents events, MissedOutput missed) {
        this.folder = dataDir.toAbsolutePath().resolve("keeper");
        this.idle = idle;
        this.missed = missed;
        this.process = new KeeperProcess(folder, idle, events);
        if (Files.isDirectory(folder)) {
            try (Stream<Path> entries = Files.list(folder)) {
                entries.map(entry -> String.valueOf(entry.getFileName()))
                        .filter(name -> name.endsWith(Protocol.SOCKET))
                        .forEach(name -> link(name.substring(0, name.length() - Protocol.SOCKET.length())));
            } catch (IOException unreadable) {
                throw new UncheckedIOException("the keepers cannot be listed: " + folder, unreadable);
            }
        }
    }

    Path log() {
        return process.log();
    }

    /** What new keepers run from: this server's version, as it was when it was first asked. */
    synchronized Path installation() throws IOException {
        if (installation == null) {
            OwnFiles.folder(folder);
            installation = KeeperInstallation.install(folder);
        }
        return installation;
    }

    /** The one that runs from there, for new terminals; it may have to be started. */
    KeeperLink of(Path madeFrom) {
        return link(Protocol.name(madeFrom));
    }

    /** The one that lives and holds the terminal. */
    @Nullable
    KeeperLink holding(TaskId id) {
        return links.values().stream()
                .filter(link -> link.find(id) != null)
                .findFirst()
                .orElse(null);
    }

    @Nullable
    HeldTerminal find(TaskId id) {
        KeeperLink link = holding(id);
        return link == null ? null : link.find(id);
    }

    /** Of one that hangs, until it tells what it holds; null when none does. */
    @Nullable
    HeldTerminal assumed(TaskId id) {
        for (KeeperLink link : links.values()) {
            if (link.silent()) {
                link.expect(id);
                return link.find(id);
            }
        }
        return null;
    }

    private KeeperLink link(String name) {
        return links.computeIfAbsent(
                name, _ -> new KeeperLink(folder.resolve(name + Protocol.SOCKET), idle, process, missed));
    }

    @Override
    public void close() {
        links.values().forEach(KeeperLink::close);
    }
}
