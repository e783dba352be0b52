package dev.holdfast.keeper.message;

/** A line that is not of the protocol: not a JSON object, or a field that is missing or of another type. */
public final class MalformedMessageException extends RuntimeException {
    public MalformedMessageException(String problem) {
        super(problem);
    }
}
