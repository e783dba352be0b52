package dev.holdfast.keeper.tty;

import com.sun.jna.Memory;

/**
 * A terminal's line discipline at one moment (termios(3)). The master answers for the slave. Offsets are those of the
 * {@code struct termios} that glibc and musl share.
 */
final class Termios {
    private static final int SIZE = 256; // the struct has 60 bytes
    private static final int IFLAG = 0;
    private static final int LFLAG = 12;
    private static final int CONTROL_CHARACTERS = 17;
    private static final int VINTR = 0;
    private static final int VQUIT = 1;
    private static final int VKILL = 3;
    private static final int VEOF = 4;
    private static final int VSUSP = 10;
    private static final int IUTF8 = 0x4000;
    private static final int ICANON = 0x2;

    private final Memory struct = new Memory(SIZE);
    private final boolean known;

    Termios(int fd) {
        struct.clear();
        known = JnaLibc.tcgetattr(fd, struct) == 0;
    }

    /** Makes an erase in a line take a whole UTF-8 character. A terminal that cannot is used as it is. */
    void expectUtf8(int fd) {
        if (known) {
            struct.setInt(IFLAG, struct.getInt(IFLAG) | IUTF8);
            JnaLibc.tcsetattr(fd, 0, struct);
        }
    }

    /** Whether the kernel gathers lines; else the program gets each byte as it comes. */
    boolean canonical() {
        return known && (struct.getInt(LFLAG) & ICANON) != 0;
    }

    /** The character that means end of input; ^D unless the program chose another. */
    byte endOfFile() {
        byte chosen = struct.getByte(CONTROL_CHARACTERS + VEOF);
        return known && chosen != 0 ? chosen : 0x04;
    }

    /** Whether nothing of a line is left after this byte: it ended, was handed over, or was thrown away. */
    boolean endsLine(byte typed) {
        return typed == '\n'
                || typed == '\r'
                || typed == endOfFile()
                || isControl(typed, VINTR)
                || isControl(typed, VQUIT)
                || isControl(typed, VSUSP)
                || isControl(typed, VKILL);
    }

    private boolean isControl(byte typed, int index) {
        byte chosen = struct.getByte(CONTROL_CHARACTERS + index);
        return chosen != 0 && chosen == typed;
    }
}
