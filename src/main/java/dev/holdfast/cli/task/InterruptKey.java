package dev.holdfast.cli.task;

import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.server.Refused;
import dev.holdfast.cli.terminal.Page;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/**
 * What ^C does to a task: the first interrupts it, a second one within two seconds stops it. Caught before the task is
 * asked for, so that none is left running without a name: what is pressed meanwhile is passed on once the id is known.
 */
public final class InterruptKey implements Runnable {
    private static final Duration TWICE = Duration.ofSeconds(2);
    /** As a shell tells that a program was ended by ^C. */
    private static final int INTERRUPTED = 130;

    private final Api api;
    private long last = System.nanoTime() - TWICE.toNanos();
    private boolean early;
    private String id = "";
    private String approval = "";

    public InterruptKey(Api api) {
        this.api = api;
    }

    /** Somebody is asked whether it may start. */
    public synchronized void asks(String approval) {
        this.approval = approval;
        if (early) {
            run();
        }
    }

    /** From now on there is something to interrupt; what was pressed before has been passed on when this returns. */
    public void starts(String task) {
        boolean pressed;
        synchronized (this) {
            id = task;
            pressed = early;
        }
        if (pressed) {
            Page.note("interrupting " + task);
            end(task, false);
        }
    }

    @Override
    public synchronized void run() {
        if (id.isEmpty()) {
            beforeIt();
            return;
        }
        boolean again = System.nanoTime() - last < TWICE.toNanos();
        last = System.nanoTime();
        String task = id;
        Thread.ofVirtual().start(() -> end(task, again));
    }

    private void beforeIt() {
        if (!approval.isEmpty()) {
            Page.note("it starts all the same once it is allowed; holdfast deny " + approval + " refuses it");
            Runtime.getRuntime().halt(INTERRUPTED);
        }
        if (early) {
            Page.note("left; whether it was started is not known here: holdfast ps tells");
            Runtime.getRuntime().halt(INTERRUPTED);
        }
        early = true;
        Page.note("its id is not known yet: it is interrupted then; once more leaves it running");
    }

    private void end(String task, boolean again) {
        try {
            if (again) {
                Page.note("stopping " + task);
                api.post("/v1/tasks/" + task + "/stop", Map.of());
            } else {
                api.post("/v1/tasks/" + task + "/signal", Map.of("signal", "INT"));
            }
        } catch (Refused over) {
            if (!over.is("task_not_running")) {
                Page.note(String.valueOf(over.getMessage()));
            }
        } catch (IOException away) {
            Page.note("not passed on, the server is away: " + task);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
