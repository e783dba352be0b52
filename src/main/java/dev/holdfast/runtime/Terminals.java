package dev.holdfast.runtime;

import dev.holdfast.runtime.HostedCommand.TerminalLink;
import dev.holdfast.runtime.HostedCommand.TerminalListener;
import dev.holdfast.task.StreamName;
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
    /** How much of what was printed is sent again to restore the screen. */
    private static final int RESTORE_BYTES = 64 * 1024;

    private final Tasks tasks;
    private final OutputStore outputs;

    @Inject
    public Terminals(Tasks tasks, OutputStore outputs) {
        this.tasks = tasks;
        this.outputs = outputs;
    }

    /**
     * Follows a terminal. The first call to the listener carries what restores the screen: the last 64 KiB printed. A
     * program that draws its screen once, and has printed more since, is not restored whole.
     *
     * @throws Refusal {@code task_not_found}, {@code not_a_terminal}, {@code task_not_running}
     */
    public TerminalLink open(TaskId id, TerminalListener listener) {
        if (!tasks.find(id).command().tty()) {
            throw Tasks.noTerminal(id);
        }
        LiveCommand command = tasks.running(id);
        Restored restored = new Restored(listener);
        TerminalLink link = command.hosted().join().openTerminal(restored);
        restored.begin(id);
        return Objects.requireNonNull(link);
    }

    /** Holds live bytes back until what was printed before is sent, then passes on what is not sent yet. */
    private final class Restored implements TerminalListener {
        private final TerminalListener listener;
        private @Nullable List<Runnable> waiting = new ArrayList<>();
        private long next;

        Restored(TerminalListener listener) {
            this.listener = listener;
        }

        synchronized void begin(TaskId id) {
            OutputStore.Slice slice = outputs.tail(id, StreamName.STDOUT, RESTORE_BYTES);
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
