package dev.holdfast.runtime;

import dev.holdfast.runtime.HostedCommand.TerminalLink;
import dev.holdfast.runtime.HostedCommand.TerminalListener;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.TaskId;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Terminals that somebody watches and types into. Thread-safe. */
@Singleton
public final class Terminals {
    private final Tasks tasks;
    private final OutputStore outputs;

    @Inject
    public Terminals(Tasks tasks, OutputStore outputs) {
        this.tasks = tasks;
        this.outputs = outputs;
    }

    /**
     * Follows a terminal. The first call to the listener carries what restores the screen, {@link OutputStore#screen}.
     * Of a task that accepts no input, the link takes what is typed and drops it: whoever watches it has a terminal of his
     * own, which answers what the program asks without his doing.
     *
     * @throws Refusal {@code task_not_found}, {@code not_a_terminal}, {@code task_not_running}
     */
    public TerminalLink open(TaskId id, TerminalListener listener) {
        CommandSpec asked = tasks.find(id).command();
        if (!asked.tty()) {
            throw Tasks.noTerminal(id);
        }
        LiveCommand command = tasks.running(id);
        Restored restored = new Restored(listener);
        TerminalLink link = command.hosted().join().openTerminal(restored);
        restored.begin(id);
        return asked.acceptsInput() ? Objects.requireNonNull(link) : new WatchOnly(Objects.requireNonNull(link));
    }

    private record WatchOnly(TerminalLink watched) implements TerminalLink {
        @Override
        public void write(byte[] bytes) {}

        @Override
        public boolean offer(byte[] bytes) {
            return true;
        }

        @Override
        public void close() {
            watched.close();
        }
    }

    /** Holds live bytes back until what was printed before is sent, then passes on what is not sent yet. */
    private final class Restored implements TerminalListener {
        private final TerminalListener listener;
        private @Nullable List<Runnable> waiting = new ArrayList<>();
        private long next;

        Restored(TerminalListener listener) {
            this.listener = listener;
        }

        void begin(TaskId id) {
            pass(outputs.screen(id)); // read without the lock: nobody who brings output waits for it
        }

        private synchronized void pass(OutputStore.Slice slice) {
            next = slice.next();
            listener.onOutput(slice.start(), slice.bytes());
            List<Runnable> held = Objects.requireNonNull(waiting);
            waiting = null;
            held.forEach(Runnable::run);
        }

        @Override
        public synchronized void onOutput(long from, byte[] bytes) {
            if (waiting != null) {
                waiting.add(() -> onOutput(from, bytes));
                return;
            }
            int known = (int) Math.min(bytes.length, Math.max(0, next - from));
            if (known < bytes.length) {
                next = from + bytes.length;
                listener.onOutput(from + known, known == 0 ? bytes : Arrays.copyOfRange(bytes, known, bytes.length));
            }
        }

        @Override
        public synchronized void onClose() {
            if (waiting != null) {
                waiting.add(this::onClose);
                return;
            }
            listener.onClose();
        }
    }
}
