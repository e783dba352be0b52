package dev.holdfast.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.server.Http;
import dev.holdfast.cli.terminal.Failure;
import dev.holdfast.cli.terminal.Page;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** What a task prints, as it prints it: each stream on its own, byte for byte, and on where the server restarts. */
public final class Follow {
    private static final int CHUNK = 1 << 20;
    private static final int WAIT_MS = 500;
    private static final long TO_THE_END = Long.MAX_VALUE;

    private final Api api;
    private final String id;
    /** Bytes of a stream after which it is enough. */
    private volatile long[] enough = {TO_THE_END, TO_THE_END};

    public Follow(Api api, String id) {
        this.api = api;
        this.id = id;
    }

    /** Both streams, or a terminal's one; returns at the end of all, or when there was enough. */
    public void both(boolean terminal, boolean live, long stdout, long stderr)
            throws IOException, InterruptedException {
        try (ExecutorService streams = Executors.newVirtualThreadPerTaskExecutor()) {
            var reads = new ExecutorCompletionService<Long>(streams);
            reads.submit(() -> stream("stdout", stdout, live, Page.OUT));
            if (!terminal) {
                reads.submit(() -> stream("stderr", stderr, live, Page.ERR));
            }
            try {
                for (int i = terminal ? 1 : 0; i < 2; i++) {
                    reads.take().get();
                }
            } catch (ExecutionException failed) {
                streams.shutdownNow();
                throw Failure.unwrapped(failed);
            }
        }
    }

    /** What the task has printed until now is still shown, and no more. */
    void leave() throws IOException, InterruptedException {
        JsonNode output = api.retried(this::task).path("output");
        enough = new long[] {
            output.path("stdout_bytes").asLong(), output.path("stderr_bytes").asLong()
        };
    }

    /**
     * From a byte on.
     *
     * @param live until the task ends; else what is there
     * @return after the last byte read
     */
    public long stream(String name, long from, boolean live, OutputStream to) throws IOException, InterruptedException {
        int number = name.equals("stdout") ? 0 : 1;
        long at = from;
        while (at < enough[number]) {
            String path = path(name, at, CHUNK) + "&wait_ms=" + (live ? WAIT_MS : 0);
            Http.Answer page = api.retried(() -> api.bytes(path));
            String next = api.header(page, "Holdfast-Next-Cursor", "\\d{1,18}");
            boolean end = api.header(page, "Holdfast-End", "true|false").equals("true");
            Page.write(to, page.body());
            page.header("Holdfast-Omitted").ifPresent(gap -> Page.note("no longer kept of " + name + ": " + gap));
            at = Long.parseLong(next);
            if (end || (!live && page.body().length == 0)) {
                return at;
            }
        }
        return at;
    }

    /** Of the byte where the last {@code lines} lines begin; for none of them the end. */
    public long tail(String name, long lines) throws IOException, InterruptedException {
        long end = task().path("output").path(name + "_bytes").asLong();
        if (lines == 0) {
            return end;
        }
        long found = 0;
        long at = end;
        while (at > 0) {
            long from = Math.max(0, at - CHUNK);
            Http.Answer page = api.bytes(path(name, from, (int) (at - from)));
            byte[] bytes = page.body();
            for (int i = bytes.length - 1; i >= 0; i--) {
                if (bytes[i] == '\n' && from + i + 1 < end && ++found == lines) {
                    return from + i + 1;
                }
            }
            if (page.header("Holdfast-Omitted").isPresent()) {
                return from;
            }
            at = from;
        }
        return 0;
    }

    private JsonNode task() throws IOException, InterruptedException {
        return api.having(api.get("/v1/tasks/" + id), "status", "output");
    }

    private String path(String stream, long from, int bytes) {
        return "/v1/tasks/" + id + "/output?stream=" + stream + "&cursor=" + from + "&max_bytes=" + bytes;
    }
}
