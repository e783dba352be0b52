package dev.holdfast.cli.terminal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A line that says what is waited for and since when, from its second second on, until it is closed. On standard error,
 * and only where that is a terminal that shows nobody else's screen. Of several the one begun last is shown.
 */
public final class Progress implements AutoCloseable {
    private static final boolean SHOWN = Boolean.getBoolean("holdfast.progress");
    private static final Duration EACH = Duration.ofSeconds(1);
    private static final List<Progress> OPEN = new CopyOnWriteArrayList<>();
    private static final AtomicBoolean DRAWN = new AtomicBoolean();
    private static final AtomicBoolean SILENT = new AtomicBoolean();

    static {
        if (SHOWN) { // a signal leaves no half of it before the next prompt
            Runtime.getRuntime().addShutdownHook(new Thread(Progress::wipe));
        }
    }

    private final String what;
    private final long from = System.nanoTime();

    private Progress(String what) {
        this.what = what;
    }

    public static Progress of(String what) {
        var progress = new Progress(what);
        if (SHOWN) {
            OPEN.add(progress);
            Thread.ofVirtual().start(progress::tell);
        }
        return progress;
    }

    /** From now on the terminal is a task's. */
    static void silence() {
        SILENT.set(true);
    }

    /** Makes room for another line. */
    static synchronized void wipe() {
        if (DRAWN.getAndSet(false)) {
            print("\r\033[K");
        }
    }

    private void tell() {
        try {
            Thread.sleep(EACH);
            while (OPEN.contains(this)) {
                draw(this);
                Thread.sleep(EACH);
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private static synchronized void draw(Progress progress) {
        if (!SILENT.get() && !OPEN.isEmpty() && OPEN.getLast() == progress) {
            DRAWN.set(true);
            long seconds = (System.nanoTime() - progress.from) / 1_000_000_000;
            print("\r\033[K\033[2m" + Plain.line(progress.what) + " (" + seconds + " s)\033[0m");
        }
    }

    private static void print(String text) {
        try {
            Page.ERR.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException gone) {
            SILENT.set(true);
        }
    }

    @Override
    public void close() {
        synchronized (Progress.class) {
            OPEN.remove(this);
            wipe();
        }
    }
}
