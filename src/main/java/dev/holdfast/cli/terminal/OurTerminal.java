package dev.holdfast.cli.terminal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The terminal that this command was started in, raw from {@link #take} to {@link #close}, which also comes when a
 * signal ends the JVM. {@code stty} does it: it puts back exactly what it found.
 */
public final class OurTerminal implements AutoCloseable {
    /**
     * Undoes what a program may have asked of a terminal: the other screen, margins, mouse, paste marks, keys, cursor,
     * colours; then below all that is on it.
     */
    private static final String USUAL =
            "\033[?1049l\033[?1000;1002;1003;1004;1005;1006;1015;2004l\033[?1;5;6l\033[4l\033>"
                    + "\033[?7;25h\033[0 q\033(B\017\033[0m\033[r\033[9999;1H";

    /** Empties Kitty's stack of keyboard protocols, of which each screen has its own. */
    private static final String USUAL_KEYS = "\033[<99u";

    /** The usual, and no other keys nor news of size and colours that a program may have asked for. */
    private static final String LEFT = USUAL_KEYS + "\033[>4m\033[?2031;2048l" + USUAL + USUAL_KEYS + "\r\n";

    private static final int USUAL_COLS = 80;
    private static final int PIPE_COLS = 132;
    /** Of rows and columns that a task's terminal has. */
    private static final int MOST = 1_000;

    private final String found;
    private final Thread atTheEnd = new Thread(this::restore);
    private final AtomicBoolean restored = new AtomicBoolean();
    private volatile boolean drawn;

    /** In characters. */
    public record Size(int rows, int cols) {
        public Map<String, Object> body() {
            return Map.of("rows", rows, "cols", cols);
        }
    }

    private OurTerminal(String found) {
        this.found = found;
    }

    /** @throws Failure there is none that another terminal could be shown on; says why and what helps */
    public static Size checked() {
        if (stty(0, "-g") == null || stty(1, "-g") == null) {
            throw new Failure(
                    "our input or output is no terminal\nStart it in one, without a pipe; holdfast logs -f and send do without.");
        }
        String kind = Optional.ofNullable(System.getenv("TERM")).orElse("");
        if (kind.isEmpty() || kind.equals("dumb")) {
            throw new Failure("TERM is " + (kind.isEmpty() ? "not set" : kind)
                    + ": such a terminal shows no screen\nSet it to what yours is, as TERM=xterm-256color.");
        }
        return size().orElseThrow(
                        () -> new Failure("our terminal has no size\nGive it one, as with stty rows 40 cols 120."));
    }

    /** After {@link #checked}. */
    public static OurTerminal take() {
        var terminal = new OurTerminal(Optional.ofNullable(stty(0, "-g")).orElse("sane"));
        Runtime.getRuntime().addShutdownHook(terminal.atTheEnd);
        Progress.silence();
        stty(0, "raw", "-echo");
        return terminal;
    }

    /** Empty where nobody knows. */
    public static Optional<Size> size() {
        String[] both = Optional.ofNullable(stty(0, "size")).orElse("0 0").split(" ", 2);
        Size size = new Size(Math.min(MOST, Integer.parseInt(both[0])), Math.min(MOST, Integer.parseInt(both[1])));
        return size.rows() > 0 && size.cols() > 0 ? Optional.of(size) : Optional.empty();
    }

    /** Something else than a program that has ended by itself was at work on it. */
    public void drawnOn() {
        drawn = true;
    }

    /** Room for a whole screen; what was there scrolls up and away, and is not lost. */
    public void clear(Size size) {
        drawn = true;
        print("\033[9999;1H" + "\n".repeat(size.rows()) + "\033[H");
    }

    /** As it was when it was switched on, for a screen that is painted anew. */
    public void reset() {
        drawn = true;
        print(USUAL);
    }

    /** For a line of what is printed; as in a pipe where nobody knows. */
    public static int columns() {
        return (Page.TERMINAL ? size() : Optional.<Size>empty()).map(Size::cols).orElse(PIPE_COLS);
    }

    /** In the last row, until something is drawn there. */
    public void tell(String text) {
        String line = " holdfast: " + text.replaceAll("\\p{Cntrl}", " ") + " ";
        int room = size().map(Size::cols).orElse(USUAL_COLS) - 1;
        String shown = line.substring(0, Math.min(room, line.length()));
        print("\0337\033[9999;1H\033[0;7m" + shown + "\033[0m\033[K\0338");
    }

    private static void print(String text) {
        Page.write(Page.OUT, text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        restore();
        try {
            Runtime.getRuntime().removeShutdownHook(atTheEnd);
        } catch (IllegalStateException ending) {
            return; // and it has been done
        }
    }

    private void restore() {
        if (restored.getAndSet(true)) {
            return;
        }
        stty(0, found);
        try {
            Page.last(drawn ? LEFT : "\r");
        } catch (Page.Closed | Failure gone) {
            return; // the terminal is
        }
    }

    /** What it prints; null when that descriptor of ours is no terminal. */
    private static @Nullable String stty(int descriptor, String... words) {
        List<String> command =
                Stream.concat(Stream.of("stty"), Stream.of(words)).toList();
        try {
            Process process = new ProcessBuilder(command)
                    .redirectInput(Path.of("/proc/self/fd/" + descriptor).toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? said.strip() : null;
        } catch (IOException none) {
            return null;
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
