package dev.holdfast.cli.task;

import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.server.Refused;
import dev.holdfast.cli.terminal.Page;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/** What ^C does to a task: the first interrupts it, a second one within two seconds stops it. */
public final class InterruptKey implements Runnable {
    private static final Duration TWICE = Duration.ofSeconds(2);

    private final Api api;
    private final String id;
    private long last = System.nanoTime() - TWICE.toNanos();

    public InterruptKey(Api api, String id) {
        this.api = api;
        this.id = id;
    }

    @Override
    public synchronized void run() {
        boolean again = System.nanoTime() - last < TWICE.toNanos();
        last = System.nanoTime();
        Thread.ofVirtual().start(() -> end(again));
    }

    private void end(boolean again) {
        try {
            if (again) {
                Page.note("stopping " + id);
                api.post("/v1/tasks/" + id + "/stop", Map.of());
            } else {
                api.post("/v1/tasks/" + id + "/signal", Map.of("signal", "INT"));
            }
        } catch (Refused over) {
            if (!over.is("task_not_running")) {
                Page.note(String.valueOf(over.getMessage()));
            }
        } catch (IOException away) {
            Page.note("not passed on, the server is away: " + id);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
