package dev.holdfast.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What a terminal does with keys, termios(3).
 *
 * @param lines whether it hands them on a line at a time (canonical mode); else each by itself
 * @param echo whether it shows them
 */
public record TerminalMode(boolean lines, boolean echo) {
    private static final int O_NOCTTY_NONBLOCK = 0x100 | 0x800;
    private static final long TCGETS = 0x5401;
    private static final int TERMIOS = 64;
    private static final int LOCAL_FLAGS = 12;
    private static final int ICANON = 2;
    private static final int ECHO = 8;

    /** That of a device such as {@code /dev/pts/3}; empty when it is gone, or not ours to open. Some 10 µs. */
    public static Optional<TerminalMode> of(Path device) {
        long fd = Libc.open(device, O_NOCTTY_NONBLOCK, 0);
        if (fd < 0) {
            return Optional.empty();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment termios = arena.allocate(TERMIOS, Integer.BYTES);
            if (Libc.ioctl((int) fd, TCGETS, termios) < 0) {
                return Optional.empty();
            }
            int flags = termios.get(JAVA_INT, LOCAL_FLAGS);
            return Optional.of(new TerminalMode((flags & ICANON) != 0, (flags & ECHO) != 0));
        } finally {
            Libc.close((int) fd);
        }
    }
}
