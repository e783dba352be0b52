package dev.holdfast.runtime.control;

import dev.holdfast.runtime.Audit;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.HostedCommand.TerminalLink;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.TaskId;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A terminal link whose keys are told to the journal: that somebody types before the first of them goes on, and what he
 * typed, as a count and a hash, before the one goes on that ends a line of it. Not each by itself: the hash of one key
 * is as good as the key, and a password is typed so.
 *
 * <p>One call at a time, each after the one before.
 */
final class Typing implements TerminalLink {
    /** Told at once when there is so much of it. */
    private static final int MOST = 4096;
    /** Enter, and what acts without it: ctrl-c, ctrl-d, ctrl-o, ctrl-z, ctrl-\. */
    private static final String ENDINGS = "\r\n\3\4\17\32\34";

    private final TerminalLink terminal;
    private final TaskId id;
    private final Audit audit;
    private final Consumer<byte[]> guard;
    private final BooleanSupplier keysCount;
    private final String actor;
    private final ByteArrayOutputStream untold = new ByteArrayOutputStream();

    /** Is in {@link #untold} already: {@link #offer} could not pass it on. */
    private byte @Nullable [] offered;

    /**
     * On the thread of who opened it.
     *
     * @param guard is shown all that is written, before it is, and may refuse it
     * @param keysCount whether it may refuse what ends no line
     */
    Typing(TerminalLink terminal, TaskId id, Audit audit, Consumer<byte[]> guard, BooleanSupplier keysCount) {
        this.terminal = terminal;
        this.id = id;
        this.audit = audit;
        this.guard = guard;
        this.keysCount = keysCount;
        this.actor = audit.asking();
    }

    /** @throws Refusal {@code storage_full} or {@code command_denied}: not written */
    @Override
    public void write(byte[] bytes) {
        guard.accept(bytes);
        if (bytes != offered) {
            tell(bytes);
        }
        offered = null;
        terminal.write(bytes);
    }

    private void tell(byte[] bytes) {
        if (ends(bytes)) {
            var all = new ByteArrayOutputStream();
            all.writeBytes(untold.toByteArray());
            all.writeBytes(bytes);
            audit.typed(actor, id, all.toByteArray());
            untold.reset();
            return;
        }
        if (untold.size() == 0) {
            audit.typing(actor, id);
        }
        untold.writeBytes(bytes);
    }

    /** What has to be told first waits for a disk, which is no work for who may not block. */
    @Override
    public boolean offer(byte[] bytes) {
        if (untold.size() == 0 || ends(bytes) || keysCount.getAsBoolean()) {
            return false;
        }
        untold.writeBytes(bytes);
        boolean taken = terminal.offer(bytes);
        offered = taken ? null : bytes;
        if (taken) {
            guard.accept(bytes);
        }
        return taken;
    }

    @Override
    public void leave() {
        terminal.leave();
    }

    private boolean ends(byte[] bytes) {
        return untold.size() + bytes.length >= MOST
                || new String(bytes, StandardCharsets.ISO_8859_1).chars().anyMatch(key -> ENDINGS.indexOf(key) >= 0);
    }

    @Override
    public OutputStore.@Nullable Slice screen() {
        return terminal.screen();
    }

    @Override
    public void close() {
        if (untold.size() > 0) {
            audit.typedBefore(actor, id, untold.toByteArray());
        }
        terminal.close();
    }
}
