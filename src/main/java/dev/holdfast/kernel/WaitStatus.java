package dev.holdfast.kernel;

/** How a process ended, in the form of {@code wait(2)}. */
public record WaitStatus(int value) {
    /** The signal that ended it, 0 when it exited. */
    public int signal() {
        return value & 0x7f;
    }

    /** Its exit code, 0 to 255; only when {@link #signal()} is 0. */
    public int code() {
        return (value >> 8) & 0xff;
    }
}
