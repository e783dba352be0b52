package dev.holdfast.keeper.screen;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The screen of one terminal. What goes wrong in it, an {@link OutOfMemoryError} included, costs the screen and nothing
 * else: from then on there is none. Bounded by its size, whatever is printed. Thread-safe.
 */
public final class Screen {
    private @Nullable Emulator emulator;
    private @Nullable EscapeParser escapes;

    /** @param rows and {@code cols} at least 1 */
    public Screen(int rows, int cols) {
        emulator = new Emulator(rows, cols);
        escapes = new EscapeParser(new Interpreter(emulator));
    }

    /** Draws what was printed; leaves nothing in the buffer. */
    public synchronized void print(ByteBuffer bytes) {
        EscapeParser taker = escapes;
        if (taker != null) {
            guarded(() -> {
                byte[] copy = new byte[bytes.remaining()];
                bytes.get(copy);
                taker.take(copy);
            });
        }
    }

    public synchronized void resize(int rows, int cols) {
        Emulator resized = emulator;
        if (resized != null) {
            guarded(() -> resized.resize(Math.max(1, rows), Math.max(1, cols)));
        }
    }

    /** Empty when it was given up. */
    public synchronized Optional<Picture> picture() {
        try {
            return Optional.ofNullable(emulator).map(Painter::paint);
        } catch (RuntimeException | Error broken) {
            giveUp(broken);
            return Optional.empty();
        }
    }

    /** Gives its memory back. */
    public synchronized void close() {
        if (emulator != null) {
            emulator.close();
        }
        emulator = null;
        escapes = null;
    }

    private void guarded(Runnable drawing) {
        try {
            drawing.run();
        } catch (RuntimeException | Error broken) {
            giveUp(broken);
        }
    }

    private void giveUp(Throwable broken) {
        close();
        System.err.println("a screen is given up: " + broken);
    }
}
