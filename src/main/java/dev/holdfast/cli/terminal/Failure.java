package dev.holdfast.cli.terminal;

/** Ends the command: what is said on its standard error, and the code it exits with. */
public final class Failure extends RuntimeException {
    public static final int ERROR = 1;
    public static final int NO_SERVER = 69;

    private final int code;

    public Failure(int code, String message) {
        super(message);
        this.code = code;
    }

    public int code() {
        return code;
    }
}
