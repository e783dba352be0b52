package dev.holdfast.host.terminal;

import dev.holdfast.keeper.message.Protocol;
import dev.holdfast.runtime.port.HostedCommand.TerminalLink;
import dev.holdfast.runtime.port.HostedCommand.TerminalListener;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One who follows a terminal that a keeper holds, and types into it. */
final class KeeperTerminalLink implements TerminalLink {
    /** How often whoever waits for the program to read looks whether it still has to. */
    static final long LOOK_UP_MS = 200;

    private final KeeperTerminalHost host;
    private final TaskId id;
    private final @Nullable KeeperLink keeper;
    private final @Nullable HeldTerminal terminal;
    private final TerminalListener listener;
    private volatile boolean left;

    KeeperTerminalLink(
            KeeperTerminalHost host,
            TaskId id,
            @Nullable KeeperLink keeper,
            @Nullable HeldTerminal terminal,
            TerminalListener listener) {
        this.host = host;
        this.id = id;
        this.keeper = keeper;
        this.terminal = terminal;
        this.listener = listener;
    }

    @Override
    public void write(byte[] bytes) {
        int taken = 0;
        while (taken < bytes.length && keeper != null && terminal != null && terminal.wanted()) {
            KeeperConnection connection = keeper.connected();
            if (connection == null && (left || keeper.gone())) {
                return;
            }
            if (connection == null) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_UP_MS));
                continue;
            }
            if (left) {
                tell(connection, Arrays.copyOfRange(bytes, taken, bytes.length));
                return;
            }
            byte[] part = Arrays.copyOfRange(bytes, taken, Math.min(bytes.length, taken + Protocol.WRITE_CHUNK));
            try {
                int count = KeeperTerminalHost.writePart(connection, KeeperTerminalHost.typing(id, part), LOOK_UP_MS);
                if (count == 0) { // at once, where the keeper has no room for it either
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_UP_MS));
                }
                taken += count;
            } catch (IOException broken) {
                if (broken instanceof KeeperRefusal || keeper.gone()) {
                    return; // the listener is told
                }
                throw host.unreached(id, broken, Map.of()); // how much of the part was taken, nobody knows
            }
        }
    }

    @Override
    public void leave() {
        left = true;
    }

    @Override
    public OutputStore.@Nullable Slice screen() {
        return keeper == null ? null : Screens.paint(keeper, id).orElse(null);
    }

    @Override
    public boolean offer(byte[] bytes) {
        KeeperConnection connection = keeper == null ? null : keeper.current();
        if (connection == null) {
            return false;
        }
        tell(connection, bytes);
        return true;
    }

    /** A terminal that has 1 MiB waiting to be read by its program takes no more. */
    private void tell(KeeperConnection connection, byte[] bytes) {
        for (int from = 0; from < bytes.length; from += Protocol.WRITE_CHUNK) {
            int until = Math.min(bytes.length, from + Protocol.WRITE_CHUNK);
            connection.tell(KeeperTerminalHost.typing(id, Arrays.copyOfRange(bytes, from, until)));
        }
    }

    @Override
    public void close() {
        if (keeper != null && terminal != null) {
            keeper.detach(id, terminal, listener);
        }
    }
}
