package dev.holdfast.cli;

/** Ends the command: what is said on its standard error, and the code it exits with. */
final class Failure extends RuntimeException {
    static final int ERROR = 1;
    static final int NO_SERVER = 69;

    private final int code;

    Failure(int code, String message) {
        super(message);
        this.code = code;
    }

    int code() {
        return code;
    }
}
