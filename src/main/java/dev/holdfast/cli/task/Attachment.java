package dev.holdfast.cli.task;

import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.server.Refused;
import dev.holdfast.cli.terminal.DetachKey;
import dev.holdfast.cli.terminal.Interrupts;
import dev.holdfast.cli.terminal.Keyboard;
import dev.holdfast.cli.terminal.OurTerminal;
import dev.holdfast.cli.terminal.Page;
import java.io.IOException;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Our terminal as a task's, over the WebSocket: connected again by itself until the task has ended or somebody leaves.
 * What is typed meanwhile waits.
 */
public final class Attachment {
    private static final int DENIED = 1008;
    private static final int LOST = 1006;

    private final Api api;
    private final String id;
    private final OurTerminal ours;
    private final boolean shown;
    private final Keyboard keyboard;
    private final CompletableFuture<Boolean> over = new CompletableFuture<>();
    private volatile CompletableFuture<WebSocket> socket = new CompletableFuture<>();
    /** Told when the screen is painted, else the paint would cover it. */
    private volatile String news = "";
    /** Whether it was told that the server is away. */
    private boolean away;

    /** Why a connection ended. */
    private record Parting(int code, String reason) {}

    /** @param shown whether the task's screen is painted; else what is typed goes this way, and nothing comes back */
    public Attachment(Api api, String id, OurTerminal ours, DetachKey leave, boolean shown) {
        this.api = api;
        this.id = id;
        this.ours = ours;
        this.shown = shown;
        this.keyboard = new Keyboard(leave, () -> over.complete(true));
    }

    /** True once somebody has left, false once the task has ended; fails when no server has answered for a minute. */
    public CompletableFuture<Boolean> begin() {
        keyboard.begin();
        Interrupts.handle("WINCH", () -> Thread.ofVirtual().start(this::followSize));
        Thread.ofVirtual().start(this::type);
        Thread.ofVirtual().start(() -> {
            try {
                stay();
                over.complete(false);
            } catch (IOException | RuntimeException failed) {
                over.completeExceptionally(failed);
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
        return over;
    }

    private void stay() throws IOException, InterruptedException {
        while (true) {
            var partings = new LinkedBlockingQueue<Parting>();
            Optional<WebSocket> opened = api.retried(() -> connect(partings));
            if (opened.isEmpty()) {
                return;
            }
            socket.complete(opened.get());
            Parting parting = partings.take();
            socket = new CompletableFuture<>();
            if (parting.code() == DENIED) {
                tell(parting.reason());
            }
        }
    }

    private void tell(String text) {
        if (shown) {
            news = text;
        } else {
            ours.tell(text);
        }
    }

    private boolean runs() throws IOException, InterruptedException {
        try {
            boolean runs = Words.runs(api.having(api.get("/v1/tasks/" + id), "status"));
            away = false;
            return runs;
        } catch (IOException unreached) {
            if (!away) {
                ours.tell("the server is away, this waits for it");
            }
            away = true;
            throw unreached;
        }
    }

    /** Empty when the task has ended. */
    private Optional<WebSocket> connect(BlockingQueue<Parting> partings) throws IOException, InterruptedException {
        if (!runs()) {
            return Optional.empty();
        }
        resize();
        if (shown) {
            ours.reset();
        }
        try {
            return Optional.of(api.socket("/v1/tasks/" + id + "/terminal", new Screen(partings))
                    .join());
        } catch (CompletionException failed) {
            // Also of one that is just ending, or of a server that is: it is asked for once more.
            throw new IOException("the terminal is not opened: " + failed.getCause(), failed);
        }
    }

    private void type() {
        try {
            while (true) {
                send(keyboard.next());
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for a connection; with one that breaks meanwhile it is lost. */
    private void send(byte[] bytes) {
        try {
            socket.join().sendBinary(ByteBuffer.wrap(bytes), true).join();
        } catch (CompletionException lost) {
            return;
        }
    }

    private void followSize() {
        try {
            resize();
        } catch (IOException away) {
            return; // the next connection says it
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** Makes the task's terminal as large as ours, where we may. */
    private void resize() throws IOException, InterruptedException {
        OurTerminal.Size size = OurTerminal.size().orElse(null);
        if (size == null) {
            return;
        }
        try {
            api.put("/v1/tasks/" + id + "/terminal-size", size.body());
        } catch (Refused refused) {
            if (!refused.is("forbidden") && !refused.is("task_not_running")) {
                throw refused;
            }
        }
    }

    /** On threads of the client's. */
    private final class Screen implements WebSocket.Listener {
        private final BlockingQueue<Parting> partings;

        Screen(BlockingQueue<Parting> partings) {
            this.partings = partings;
        }

        @Override
        public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
            byte[] bytes = new byte[data.remaining()];
            data.get(bytes);
            if (shown) {
                Page.write(Page.OUT, bytes);
            }
            if (!news.isEmpty()) {
                ours.tell(news);
                news = "";
            }
            from.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
            partings.add(new Parting(code, reason));
            return null;
        }

        @Override
        public void onError(WebSocket from, Throwable error) {
            if (error instanceof Page.Closed) {
                over.completeExceptionally(error);
            }
            partings.add(new Parting(LOST, ""));
        }
    }
}
