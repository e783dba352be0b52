package dev.holdfast.cli.terminal;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Ends the command: what is said on its standard error, and the code it exits with. */
public final class Failure extends RuntimeException {
    public static final int ERROR = 1;
    public static final int MISUSED = 2;
    public static final int NO_SERVER = 69;

    private final int code;

    private final @Nullable String remedy;

    public Failure(String message) {
        this(ERROR, message, null);
    }

    public Failure(String message, String remedy) {
        this(ERROR, message, remedy);
    }

    public Failure(int code, String message) {
        this(code, message, null);
    }

    /** @param remedy what to do about it, where that is known; null for unknown */
    public Failure(int code, String message, @Nullable String remedy) {
        super(message);
        this.code = code;
        this.remedy = remedy;
    }

    public Optional<String> remedy() {
        return Optional.ofNullable(remedy);
    }

    public int code() {
        return code;
    }

    /** What ended the work of another thread, to be thrown by who waits for it. */
    public static IOException unwrapped(ExecutionException failed) {
        Throwable cause = failed.getCause();
        if (cause instanceof IOException away) {
            return away;
        }
        throw cause instanceof RuntimeException told ? told : new IllegalStateException(cause);
    }
}
