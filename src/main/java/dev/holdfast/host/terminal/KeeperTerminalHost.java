package dev.holdfast.host.terminal;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.host.launch.TerminalHost;
import dev.holdfast.keeper.message.Message;
import dev.holdfast.keeper.message.Protocol;
import dev.holdfast.kernel.Descriptor;
import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.call.Remedy;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalScreen;
import dev.holdfast.task.TerminalSize;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Terminals in keepers. One is started when the first terminal is asked for; one that a former server started is found
 * through its socket. Its death is noticed at once: all its terminals are closed then.
 */
@Singleton
public class KeeperTerminalHost implements TerminalHost, AutoCloseable {
    private static final Logger LOG = System.getLogger(KeeperTerminalHost.class.getName());
    private static final Duration START_LIMIT = Duration.ofSeconds(20);
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);
    private static final Duration DRAIN_LIMIT = Duration.ofSeconds(1);
    private static final int OUT_MODE = 0600;
    private static final byte[] NOTHING = {};

    final Keepers keepers;
    private final Screens screens;

    @Inject
    public KeeperTerminalHost(HoldfastConfig config, KernelEvents events, OutputStore outputs) {
        this(
                config.dataDir(),
                config.keeper().idle(),
                events,
                (id, from, maxBytes) -> outputs.read(id, StreamName.STDOUT, from, maxBytes));
    }

    KeeperTerminalHost(Path dataDir, Duration idle, KernelEvents events, MissedOutput missed) {
        this.keepers = new Keepers(dataDir, idle, events, missed);
        this.screens = new Screens(dataDir, keepers, missed);
    }

    @Override
    public void start(Launch launch, Path folder, List<String> launcherArgv) {
        Message request = starting(launch, new TaskFolder(folder), launcherArgv);
        try {
            start(installation(), launch.id(), request);
        } catch (KeeperRefusal refused) {
            requireRoom(new TaskFolder(folder));
            throw notStarted(refused, "Run the command without a terminal, or end other terminals.");
        } catch (KeeperSilentException hangs) {
            throw notStarted(hangs, Remedy.of(String.valueOf(hangs.getMessage()), remedy()));
        } catch (IOException broken) {
            throw notStarted(broken, "Try again; the keeper's log is " + keepers.log() + ".");
        }
    }

    /** @throws dev.holdfast.kernel.ErrnoException the keeper could not make the file, as on a full disk */
    private static void requireRoom(TaskFolder task) {
        Descriptor.open(task.output(StreamName.STDOUT), Descriptor.WRITE | Descriptor.CREATE, OUT_MODE)
                .close();
    }

    /** Of a keeper that hangs. */
    private String remedy() {
        return "If its process was stopped, `kill -CONT` it: the last \"serves\" in " + keepers.log()
                + " has its pid. Killed, its terminals end as interrupted.";
    }

    private Path installation() {
        try {
            return keepers.installation();
        } catch (IOException unkept) {
            throw new Refusal(
                    ErrorKind.STORAGE_FULL,
                    "The terminal cannot be started, for its keeper is not kept in the data folder: "
                            + unkept.getMessage(),
                    Remedy.of(
                            unkept.toString(), "Free disk space, or make the folder writable again, then try again."));
        }
    }

    private void start(Path installation, TaskId id, Message request) throws IOException {
        KeeperLink keeper = keepers.of(installation);
        try {
            KeeperConnection connection = keeper.connectOrStart(installation);
            keeper.expect(id);
            connection.await(connection.ask(request, answer -> answer), START_LIMIT);
        } catch (IOException failed) {
            keeper.forget(id);
            throw failed;
        }
    }

    private static Message starting(Launch launch, TaskFolder task, List<String> launcherArgv) {
        TerminalSize size = Objects.requireNonNullElse(launch.command().terminal(), TerminalSize.DEFAULT);
        return about(Protocol.START, launch.id())
                .with(Protocol.ARGV, launcherArgv)
                .with(Protocol.ENV, launch.environment())
                .with(Protocol.CWD, launch.command().workdir().toString())
                .with(
                        Protocol.OUT,
                        task.output(StreamName.STDOUT).toAbsolutePath().toString())
                .with(Protocol.ROWS, size.rows())
                .with(Protocol.COLS, size.cols());
    }

    private static Refusal notStarted(IOException problem, String hint) {
        return new Refusal(
                ErrorKind.COMMAND_SPAWN_FAILED, "the terminal cannot be started: " + problem.getMessage(), hint);
    }

    static Message about(String operation, TaskId id) {
        return Message.empty().with(Protocol.OP, operation).with(Protocol.ID, id.value());
    }

    @Override
    public int write(TaskId id, byte[] bytes, boolean eof, Duration limit) {
        HeldTerminal terminal = keepers.find(id);
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            if (terminal == null || !terminal.writing.tryLock(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                return 0;
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return 0;
        }
        try {
            return writeAll(id, bytes, eof, deadline);
        } finally {
            terminal.writing.unlock();
        }
    }

    private int writeAll(TaskId id, byte[] bytes, boolean eof, long deadline) {
        int taken = 0;
        try {
            boolean goesOn = true;
            while (taken < bytes.length && goesOn) {
                int until = Math.min(bytes.length, taken + Protocol.WRITE_CHUNK);
                byte[] part = Arrays.copyOfRange(bytes, taken, until);
                // Only the keeper knows what was taken, and tells it when the time it was given is over.
                long limit = Math.min(KeeperTerminalLink.LOOK_UP_MS, left(deadline));
                long asked = System.nanoTime();
                int count = writePart(id, part, false, limit);
                taken += count;
                boolean waited = System.nanoTime() - asked >= TimeUnit.MILLISECONDS.toNanos(limit);
                goesOn = count == part.length || (waited && left(deadline) > 0);
            }
            if (eof && taken == bytes.length) {
                // Once, and for all that is left: whether it was typed is not told, and typed twice it ends two reads.
                writePart(id, NOTHING, true, TimeUnit.NANOSECONDS.toMillis(Math.max(0, deadline - System.nanoTime())));
            }
            return taken;
        } catch (IOException silent) {
            throw unreached(id, silent, Map.of("bytes_written", taken, "bytes_offered", bytes.length));
        }
    }

    /** In milliseconds; nothing once its caller waits no longer. */
    private static long left(long deadline) {
        return Patience.left(deadline).toMillis();
    }

    private int writePart(TaskId id, byte[] part, boolean eof, long limitMillis) throws IOException {
        KeeperLink keeper = keepers.holding(id);
        if (keeper == null) {
            return 0;
        }
        try {
            return writePart(keeper.reached(), typing(id, part).with(Protocol.EOF, eof), limitMillis);
        } catch (KeeperRefusal closed) {
            return 0;
        }
    }

    Refusal unreached(TaskId id, IOException why, Map<String, Object> details) {
        String reason = String.valueOf(why.getMessage()).replace("the keeper", "its keeper");
        return new Refusal(
                ErrorKind.INPUT_NOT_CONSUMED,
                "The terminal of " + id + " cannot be reached: " + reason + ".",
                Remedy.of(reason, remedy()),
                details);
    }

    static int writePart(KeeperConnection connection, Message typing, long limitMillis) throws IOException {
        CompletableFuture<Long> taken =
                connection.ask(typing.with(Protocol.LIMIT_MS, limitMillis), answer -> answer.number(Protocol.TAKEN));
        return (int) (long) connection.await(taken, ANSWER_LIMIT.plusMillis(limitMillis));
    }

    static Message typing(TaskId id, byte[] bytes) {
        return about(Protocol.WRITE, id).withBytes(Protocol.DATA, bytes);
    }

    /** A terminal that is closed by now has nothing left to be resized: that refusal is fine. */
    @Override
    public void resize(TaskId id, TerminalSize size) {
        Message request =
                about(Protocol.RESIZE, id).with(Protocol.ROWS, size.rows()).with(Protocol.COLS, size.cols());
        KeeperLink keeper = keepers.holding(id);
        if (keeper == null) {
            return;
        }
        try {
            KeeperConnection connection = keeper.reached();
            connection.await(connection.ask(request, answer -> answer), ANSWER_LIMIT);
        } catch (KeeperRefusal closed) {
            LOG.log(Level.DEBUG, "the keeper did not do it", closed);
        } catch (IOException silent) {
            throw unreached(id, silent, Map.of());
        }
    }

    @Override
    public boolean drained(TaskId id) {
        KeeperLink keeper = keepers.holding(id);
        if (keeper == null) {
            return screens.keeps(id); // else it died before, or has not told yet what it holds
        }
        try {
            KeeperConnection connection = keeper.reached();
            CompletableFuture<Boolean> stored =
                    connection.ask(about(Protocol.DRAIN, id), answer -> !answer.has(Protocol.UNSTORED));
            return KeeperConnection.take(stored, DRAIN_LIMIT.toNanos());
        } catch (KeeperRefusal closed) {
            return true;
        } catch (IOException unknown) { // it hangs, or somebody else has given the connection up
            return false;
        }
    }

    @Override
    public TerminalScreen screen(TaskId id, TerminalSize size) {
        return screens.of(id, size);
    }

    /**
     * All that is printed from now on is passed on; what was printed before is in {@code out} already. So whoever reads
     * {@code out} after this, and leaves out of what is passed on the bytes before that end, has each byte once.
     * Not to be called by a listener.
     */
    @Override
    public HostedCommand.TerminalLink attach(TaskId id, HostedCommand.TerminalListener listener) {
        KeeperLink keeper = keepers.holding(id);
        HeldTerminal terminal = keeper == null ? null : keeper.find(id);
        if (keeper == null || terminal == null) {
            listener.onClose();
            return new KeeperTerminalLink(this, id, null, null, listener);
        }
        try {
            keeper.attach(id, terminal, listener);
        } catch (KeeperSilentException hangs) {
            throw unreached(id, hangs, Map.of());
        }
        return new KeeperTerminalLink(this, id, keeper, terminal, listener);
    }

    @Override
    public void onRelease(TaskId id, Runnable action) {
        HeldTerminal found = keepers.find(id);
        HeldTerminal terminal = found != null ? found : keepers.assumed(id);
        if (terminal == null) {
            action.run();
        } else {
            terminal.onRelease(action);
        }
    }

    /** Lets go of the keepers, which live on. */
    @PreDestroy
    @Override
    public void close() {
        keepers.close();
    }
}
