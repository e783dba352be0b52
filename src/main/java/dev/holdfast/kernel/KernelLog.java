package dev.holdfast.kernel;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Consumer;

/** The kernel's own log, record by record, as {@code /dev/kmsg} gives it (Documentation/ABI/testing/dev-kmsg). */
public final class KernelLog {
    private static final Path DEVICE = Path.of("/dev/kmsg");
    /** A record is at most this long; the kernel hands out one a read. */
    private static final int RECORD = 8192;

    private KernelLog() {}

    /**
     * Reads all that the log still holds, oldest first: some 3 µs a record, of which there are hundreds. Nothing where
     * it may not be read (kernel.dmesg_restrict) or is not there, as in most containers.
     */
    public static void read(Consumer<String> into) {
        read(DEVICE, into);
    }

    static void read(Path device, Consumer<String> into) {
        try (Descriptor log = Descriptor.open(device, Descriptor.READ | Descriptor.NON_BLOCKING, 0)) {
            while (readOne(log, into)) {}
        } catch (ErrnoException end) {
            // EAGAIN after the last record; EPERM, ENOENT where there is no log for us.
        }
    }

    /** @return false at an end, which a log has not: something else was put in its place, as containers do */
    private static boolean readOne(Descriptor log, Consumer<String> into) {
        try {
            byte[] entry = log.read(RECORD);
            into.accept(new String(entry, StandardCharsets.UTF_8));
            return entry.length > 0;
        } catch (ErrnoException failure) {
            if (failure.errno() != ErrnoException.EPIPE) {
                throw failure;
            }
            return true; // overwritten before it was read: the next read is that of the oldest one left
        }
    }
}
