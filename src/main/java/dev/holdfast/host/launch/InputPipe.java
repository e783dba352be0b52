package dev.holdfast.host.launch;

import dev.holdfast.kernel.Descriptor;
import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.kernel.Names;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.call.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The writing side of a command's stdin, a FIFO whose write end the launcher's holder keeps open. Waiting for room is
 * waiting for an event: no thread of the kernel's is held. One writer at a time; another waits its turn within its
 * limit.
 */
public final class InputPipe {
    /** What may wait unread; what a pipe holds at most for a user without privileges. */
    private static final int CAPACITY = 1 << 20;

    private static final int CHUNK = 64 * 1024;
    /** Where there is no descriptor to wait for room by. */
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final TaskFolder folder;
    private final KernelEvents events;
    private final ReentrantLock turn = new ReentrantLock();

    public InputPipe(TaskFolder folder, KernelEvents events) {
        this.folder = folder;
        this.events = events;
    }

    /** Before the spawn. */
    static void make(TaskFolder folder) {
        Names.fifo(folder.in());
        Names.fifo(folder.eof());
    }

    /**
     * @return bytes taken; 0 after the end of input, and fewer than offered when the reader is gone or does not read
     */
    public int write(byte[] bytes, boolean endOfInput, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            if (!turn.tryLock(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                return 0;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
        try {
            if (ended()) {
                return 0;
            }
            int taken = bytes.length == 0 ? 0 : write(bytes, deadline);
            if (endOfInput && taken == bytes.length) {
                end();
            }
            return taken;
        } finally {
            turn.unlock();
        }
    }

    /** Its name is taken away with the end of input, so that a later server knows too. */
    public boolean ended() {
        return !Files.exists(folder.eof());
    }

    /**
     * Lets the holder go. Harmless when it has gone.
     *
     * @throws ErrnoException when there is no descriptor for it: the input has not ended
     */
    public void end() {
        try (Descriptor eof = Descriptor.open(folder.eof(), Descriptor.WRITE | Descriptor.NON_BLOCKING, 0)) {
            eof.write(new byte[] {'\n'}, 0, 1);
            Files.deleteIfExists(folder.eof());
        } catch (ErrnoException e) {
            if (e.isExhaustion()) {
                throw e;
            }
            // Nobody has it open, or it is deleted: the input has ended.
        } catch (IOException e) {
            throw new UncheckedIOException("the end of input cannot be recorded", e);
        }
    }

    private int write(byte[] bytes, long deadline) {
        int taken = 0;
        try (Descriptor pipe = Descriptor.open(folder.in(), Descriptor.WRITE | Descriptor.NON_BLOCKING, 0)) {
            while (taken < bytes.length) {
                int count = pipe.write(bytes, taken, Math.min(CHUNK, bytes.length - taken));
                taken += count;
                if (count == 0 && !makeRoom(pipe) && !awaitRoom(pipe, deadline)) {
                    return taken;
                }
            }
            return taken;
        } catch (ErrnoException e) {
            if (e.errno() == ErrnoException.EPIPE
                    || e.errno() == ErrnoException.ENXIO
                    || e.errno() == ErrnoException.ENOENT) {
                // The reader is gone, perhaps with its folder.
                return taken;
            }
            throw e;
        }
    }

    /** @return whether the pipe has grown; the kernel may refuse, and never shrinks one that holds more */
    private static boolean makeRoom(Descriptor pipe) {
        return pipe.pipeSize() < CAPACITY && pipe.pipeSize(CAPACITY);
    }

    private boolean awaitRoom(Descriptor pipe, long deadline) {
        CompletableFuture<Void> room = new CompletableFuture<>();
        try (KernelEvents.Registration _ = events.onWritable(pipe, () -> room.complete(null))) {
            return Patience.await(room, Duration.ofNanos(deadline - System.nanoTime()));
        } catch (ErrnoException e) {
            if (!e.isExhaustion()) {
                throw e;
            }
            LockSupport.parkNanos(LOOK_AGAIN_NANOS); // what was taken already must be told
            return System.nanoTime() - deadline < 0;
        }
    }
}
