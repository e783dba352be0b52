package dev.holdfast.runtime.control;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.Audit;
import dev.holdfast.runtime.LiveCommand;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.HostedCommand.TerminalLink;
import dev.holdfast.runtime.port.HostedCommand.TerminalListener;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalScreen;
import dev.holdfast.task.TerminalSize;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Terminals that somebody looks at, watches and types into. Thread-safe. */
@Singleton
public record Terminals(
        Caller caller,
        Tasks tasks,
        TaskControl control,
        OutputStore outputs,
        CommandHost host,
        LiveGuard guard,
        Audit audit) {
    /** How much of the output is sent, in bytes, where no screen is kept. */
    private static final int LAST = 64 * 1024;

    /**
     * What stands on the task's screen, and after its end what stood there last: {@link CommandHost#screen}.
     *
     * @throws Refusal {@code task_not_found}, {@code not_a_terminal}
     */
    public TerminalScreen screen(TaskId id) {
        TerminalSize size = tasks.find(id).command().terminal();
        if (size == null) {
            throw TaskControl.noTerminal(id);
        }
        return host.screen(id, size);
    }

    /**
     * Follows a terminal. The first call to the listener carries what paints the screen, {@link TerminalLink#screen};
     * where none is kept, the last that was printed, as it is.
     * Of a task that accepts no input, and for a caller who may only look, the link takes what is typed and drops it:
     * whoever watches has a terminal of his own, which answers what the program asks without his doing.
     *
     * @throws Refusal {@code task_not_found}, {@code not_a_terminal}, {@code task_not_running}
     */
    public TerminalLink open(TaskId id, TerminalListener listener) {
        CommandSpec asked = tasks.find(id).command();
        if (!asked.tty()) {
            throw TaskControl.noTerminal(id);
        }
        LiveCommand command = control.running(id);
        Restored restored = new Restored(listener);
        TerminalLink link = command.hosted().join().openTerminal(restored);
        try {
            restored.begin(id, link.screen());
        } catch (RuntimeException | Error unreadable) {
            link.close();
            throw unreadable;
        }
        Actor actor = caller.actor();
        boolean types = asked.acceptsInput() && actor.role().changes();
        return types
                ? new Typing(
                        link,
                        id,
                        audit,
                        bytes -> guard.input(command, actor, bytes, false),
                        () -> guard.keysCount(actor))
                : new WatchOnly(link);
    }

    private record WatchOnly(TerminalLink watched) implements TerminalLink {
        @Override
        public OutputStore.@Nullable Slice screen() {
            return watched.screen();
        }

        @Override
        public void write(byte[] bytes) {}

        @Override
        public void leave() {}

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

        void begin(TaskId id, OutputStore.@Nullable Slice screen) {
            pass(screen == null ? last(id) : screen); // read without the lock: nobody who brings output waits for it
        }

        private OutputStore.Slice last(TaskId id) {
            long end = outputs.facts(id).stdoutBytes();
            return outputs.read(id, StreamName.STDOUT, Math.max(0, end - LAST), LAST);
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
