package dev.holdfast.runtime.call;

import java.util.Map;

/** A request that is not carried out, and what its caller can do now. Carries no stack trace: it is an answer. */
public final class Refusal extends RuntimeException {
    private final ErrorKind kind;
    private final String recoveryHint;
    private final transient Map<String, Object> details;

    /** @param recoveryHint what to do now, a sentence */
    public Refusal(ErrorKind kind, String message, String recoveryHint, Map<String, Object> details) {
        super(message, null, false, false);
        this.kind = kind;
        this.recoveryHint = recoveryHint;
        this.details = Map.copyOf(details);
    }

    public Refusal(ErrorKind kind, String message, String recoveryHint) {
        this(kind, message, recoveryHint, Map.of());
    }

    /** A body or a parameter that is not the schema; {@code field} is named in {@code details.parse_error}. */
    public static Refusal invalid(String field, String problem, String recoveryHint) {
        String message = field.isEmpty() ? problem : "`" + field + "` " + problem;
        return new Refusal(ErrorKind.INVALID_TOOL_INPUT, message, recoveryHint, Map.of("parse_error", message));
    }

    public ErrorKind kind() {
        return kind;
    }

    public String recoveryHint() {
        return recoveryHint;
    }

    public Map<String, Object> details() {
        return details;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
