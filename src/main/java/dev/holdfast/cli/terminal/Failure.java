package dev.holdfast.cli.terminal;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Ends the command: what is said on its standard error, and the code it exits with. */
public final class Failure extends RuntimeException {
    public static final int ERROR = 1;
    public static final int MISUSED = 2;
    public static final int NO_SERVER = 69;

    private final int code;

    @Nullable
    private final String remedy;

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
}
