package dev.holdfast.host.proc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Which start of the machine this is: processes of another one are gone, whatever their pids say now. */
public final class BootId {
    private static final String CURRENT = read();

    private BootId() {}

    /** {@code /proc/sys/kernel/random/boot_id}; of the host in a container. */
    public static String current() {
        return CURRENT;
    }

    private static String read() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("this machine does not say which boot it is in", e);
        }
    }
}
