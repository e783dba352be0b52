package dev.holdfast.keeper;

import dev.holdfast.keeper.message.Message;
import dev.holdfast.keeper.message.Protocol;
import dev.holdfast.keeper.tty.TerminalSpec;
import dev.holdfast.keeper.tty.Tty;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The terminals that are held, by id. Thread-safe. */
final class Terminals {
    /** Master, pty4j's pipe, eventfd, pidfd and the file. */
    private static final int DESCRIPTORS_EACH = 6;

    private static final int DESCRIPTORS_SPARE = 64;

    private final Map<String, Terminal> held = new ConcurrentHashMap<>();
    private final Consumer<Message> announce;
    private final Runnable onFewer;
    private final long most;

    /**
     * @param announce tells everybody who is connected
     * @param onFewer runs when a terminal is not held any more
     */
    Terminals(Consumer<Message> announce, Runnable onFewer) {
        this.announce = announce;
        this.onFewer = onFewer;
        this.most = (Tty.descriptorLimit() - DESCRIPTORS_SPARE) / DESCRIPTORS_EACH;
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    @Nullable
    Terminal find(String id) {
        return held.get(id);
    }

    /** Tells what is held, before it is announced that any of it is not. */
    void list(Consumer<List<Map<String, String>>> answer) {
        synchronized (held) {
            answer.accept(
                    held.keySet().stream().map(id -> Map.of(Protocol.ID, id)).toList());
        }
    }

    /** @param outcome as of {@link Terminal#start} */
    void start(TerminalSpec spec, Consumer<@Nullable String> outcome) throws IOException {
        if (held.size() >= most) { // out of descriptors pty4j would close those of others
            throw new IOException("no more than " + most + " terminals within the limit of open files");
        }
        Terminal terminal = new Terminal(spec);
        if (held.putIfAbsent(spec.id(), terminal) != null) {
            throw new IOException(spec.id() + " is held already");
        }
        try {
            terminal.start(spec, outcome, () -> closed(spec.id()));
        } catch (OutOfMemoryError noThread) {
            held.remove(spec.id());
            throw new IOException("there is no thread for it", noThread);
        }
    }

    private void closed(String id) {
        synchronized (held) { // or a list that still has it could be sent after this
            held.remove(id);
            announce.accept(
                    Message.empty().with(Protocol.EVENT, Protocol.CLOSED).with(Protocol.ID, id));
        }
        onFewer.run();
    }
}
