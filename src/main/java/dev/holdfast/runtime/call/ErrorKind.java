package dev.holdfast.runtime.call;

/** The kinds of refusal a caller can meet, each with its HTTP status. */
public enum ErrorKind {
    INVALID_TOOL_INPUT(400),
    WORKDIR_NOT_FOUND(422),
    COMMAND_SPAWN_FAILED(422),
    /** The wall that it is to run behind cannot be had here. */
    SANDBOX_UNAVAILABLE(422),
    UNAUTHORIZED(401),
    FORBIDDEN(403),
    COMMAND_DENIED(403),
    TASK_NOT_FOUND(404),
    APPROVAL_NOT_FOUND(404),
    APPROVAL_DECIDED(409),
    TOKEN_NOT_FOUND(404),
    /** The tokens file is broken, or cannot be written. */
    TOKENS_UNUSABLE(409),
    TASK_NOT_RUNNING(409),
    TASK_RUNNING(409),
    INPUT_NOT_ACCEPTED(409),
    INPUT_NOT_CONSUMED(409),
    NOT_A_TERMINAL(409),
    IDEMPOTENCY_KEY_REUSED(409),
    CURSOR_EXPIRED(410),
    PAYLOAD_TOO_LARGE(413),
    CAPACITY_EXHAUSTED(429),
    STORAGE_FULL(507),
    /** What a tool of another design ran did not succeed, where that is an error in its design. */
    EXECUTION_FAILED(422),
    /** Its caller went, or somebody stopped it, where that is an error in the design of its tool. */
    CANCELLED(409),
    INTERNAL(500);

    private final int httpStatus;

    ErrorKind(int httpStatus) {
        this.httpStatus = httpStatus;
    }

    public int httpStatus() {
        return httpStatus;
    }

    /** Whether the same request can succeed later without being changed. */
    public boolean retryable() {
        return switch (this) {
            case CAPACITY_EXHAUSTED, STORAGE_FULL, INPUT_NOT_CONSUMED, INTERNAL -> true;
            default -> false;
        };
    }
}
