package dev.holdfast.cli.terminal;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * What is typed on our terminal, until the key that leaves. Read on a thread of its own, so that this key always works.
 */
public final class Keyboard {
    private static final int CHUNK = 8 * 1024;
    /** Typed while the server is away, it waits here. */
    private static final int MANY = 1_000;

    private final DetachKey leave;
    private final Runnable left;
    private final BlockingQueue<byte[]> typed = new LinkedBlockingQueue<>(MANY);

    /** @param left called once, when the key was pressed, or nobody can type any more */
    public Keyboard(DetachKey leave, Runnable left) {
        this.leave = leave;
        this.left = left;
    }

    public void begin() {
        Thread.ofPlatform().daemon().start(this::read);
    }

    public byte[] next() throws InterruptedException {
        return typed.take();
    }

    // Never closed: somebody may read on after us.
    @SuppressWarnings("resource")
    private void read() {
        try {
            var in = new FileInputStream(FileDescriptor.in);
            byte[] bytes = new byte[CHUNK];
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                int end = 0;
                while (end < count && bytes[end] != leave.code()) {
                    end++;
                }
                if (end > 0) {
                    typed.put(Arrays.copyOf(bytes, end));
                }
                if (end < count) {
                    break;
                }
            }
        } catch (IOException gone) {
            return;
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } finally {
            left.run();
        }
    }
}
