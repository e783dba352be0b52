package dev.holdfast.keeper;

import dev.holdfast.keeper.message.Message;
import dev.holdfast.keeper.message.OutputLine;
import dev.holdfast.keeper.message.Protocol;
import dev.holdfast.keeper.screen.Picture;
import dev.holdfast.keeper.screen.Screen;
import dev.holdfast.keeper.tty.Input;
import dev.holdfast.keeper.tty.InputQueue;
import dev.holdfast.keeper.tty.TerminalSpec;
import dev.holdfast.keeper.tty.Tty;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One terminal and the thread that pumps what it prints: first into its file, then to those who watch. The pump lives
 * until the leader has ended and nobody has the terminal open, so that what a child prints late is kept too. Methods
 * are for any thread and never wait for the terminal, the disk or a connection.
 */
final class Terminal {
    private static final long STACK = 256 * 1024;

    private final String id;
    private final Path out;
    private final OutputLine lines;
    private final Screen screen;
    private final Object lock = new Object();
    // all guarded by the lock
    private final InputQueue inputs = new InputQueue();
    private final Set<Connection> watchers = new LinkedHashSet<>();
    private final List<Drain> drains = new ArrayList<>();
    private @Nullable Tty tty;
    private long offset;

    Terminal(TerminalSpec spec) {
        this.id = spec.id();
        this.out = spec.out();
        this.lines = new OutputLine(id);
        this.screen = new Screen(spec.rows(), spec.cols());
    }

    /**
     * In a thread group of its own: see {@link Tty#start}.
     *
     * @param outcome is told on its thread why nothing runs; null when it does
     * @param onClosed runs there last
     */
    void start(TerminalSpec spec, Consumer<@Nullable String> outcome, Runnable onClosed) {
        ThreadGroup alone = new ThreadGroup("terminal " + id);
        new Thread(alone, () -> run(spec, outcome, onClosed), "terminal " + id, STACK).start();
    }

    private void run(TerminalSpec spec, Consumer<@Nullable String> outcome, Runnable onClosed) {
        boolean started = false;
        try (FileChannel file = FileChannel.open(
                        out, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
                Tty opened = Tty.start(spec)) {
            enter(opened, file.size());
            outcome.accept(null);
            started = true;
            pump(opened, file);
        } catch (IOException | RuntimeException | OutOfMemoryError failed) { // of threads, for one
            Log.line(id + ": " + failed);
            if (!started) {
                outcome.accept(String.valueOf(failed.getMessage()));
            }
        } finally {
            onClosed.run();
        }
    }

    private void pump(Tty opened, FileChannel file) {
        try {
            new Pump(this, opened, file).run(this::keepScreen);
        } finally {
            leave();
            keepScreen();
            screen.close();
        }
    }

    private void enter(Tty opened, long at) {
        synchronized (lock) {
            tty = opened;
            offset = at;
        }
    }

    /** Beside the output, for when there is no terminal any more; by renaming, so that it is whole. */
    private void keepScreen() {
        try {
            Optional<Picture> picture = screen.picture();
            if (picture.isPresent()) {
                Path draft = out.resolveSibling(Protocol.SCREEN + ".draft");
                Files.write(draft, new Message(picture.get().fields()).line());
                Files.move(draft, out.resolveSibling(Protocol.SCREEN), StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException | OutOfMemoryError unkept) {
            Log.line(id + ": its last screen is not kept: " + unkept);
        }
    }

    private void leave() {
        synchronized (lock) {
            tty = null;
            inputs.giveUpAll();
            drains.forEach(drain -> drain.answer().accept(true));
            drains.clear();
            watchers.forEach(watcher -> watcher.send(whereItIs()));
            watchers.clear();
        }
    }

    /** The bytes are in the file: the pump tells who watches. */
    void printed(ByteBuffer bytes) {
        synchronized (lock) {
            long from = offset;
            offset += bytes.remaining();
            if (!watchers.isEmpty()) {
                offer(from, bytes);
            }
            screen.print(bytes);
        }
    }

    /** Refused, or without memory for it: they are told later where the output is. */
    private void offer(long from, ByteBuffer bytes) {
        try {
            byte[] line = lines.of(from, bytes);
            watchers.forEach(watcher -> watcher.offer(line));
        } catch (OutOfMemoryError full) {
            watchers.forEach(Connection::refuse);
        }
    }

    /** Types what waits; returns the nanoseconds until it wants to be called again. */
    long type(Tty into, long nowNanos) {
        synchronized (lock) {
            inputs.advance(into, nowNanos);
            return inputs.patience(nowNanos);
        }
    }

    boolean wantsToType() {
        synchronized (lock) {
            return !inputs.isEmpty();
        }
    }

    List<Drain> drains() {
        synchronized (lock) {
            return drains.isEmpty() ? List.of() : List.copyOf(drains);
        }
    }

    void drained(List<Drain> done, boolean stored) {
        if (!done.isEmpty()) {
            synchronized (lock) {
                drains.removeAll(done);
            }
            done.forEach(drain -> drain.answer().accept(stored));
        }
    }

    /** @param answer gets the bytes taken, at once or when the deadline has passed */
    void write(byte[] bytes, boolean endOfInput, long deadlineNanos, IntConsumer answer) {
        Input input = new Input(bytes, endOfInput, deadlineNanos, answer);
        synchronized (lock) {
            if (tty == null) {
                input.answer();
            } else if (!inputs.offer(input, tty)) {
                tty.wake();
            }
        }
    }

    void resize(int rows, int cols) throws IOException {
        synchronized (lock) {
            if (tty != null) {
                tty.resize(rows, cols);
                screen.resize(rows, cols);
            }
        }
    }

    void drain(Drain drain) {
        synchronized (lock) {
            if (tty == null) {
                drain.answer().accept(true);
            } else {
                drains.add(drain);
                tty.wake();
            }
        }
    }

    /** The connection gets all output from now on, after this answer. */
    void attach(Connection connection, Message answer) {
        synchronized (lock) {
            connection.send(answer.with(Protocol.AT, offset));
            if (tty != null) {
                watchers.add(connection);
            }
        }
    }

    /** The answer gets the screen, and how much of the output is on it. */
    void show(Message answer) throws IOException {
        synchronized (lock) {
            Picture picture =
                    screen.picture().orElseThrow(() -> new IOException("the screen of " + id + " is not kept"));
            answer.with(Protocol.AT, offset).with(Protocol.SCREEN, picture.fields());
        }
    }

    /** Whether nothing will come of it any more, or nothing yet. */
    boolean closed() {
        synchronized (lock) {
            return tty == null;
        }
    }

    void detach(Connection connection) {
        synchronized (lock) {
            watchers.remove(connection);
        }
    }

    /** Tells one that was refused output how far the output is. */
    void catchUp(Connection connection) {
        synchronized (lock) {
            if (watchers.contains(connection)) {
                connection.send(whereItIs());
            }
        }
    }

    private byte[] whereItIs() {
        return lines.of(offset, ByteBuffer.allocate(0));
    }
}
