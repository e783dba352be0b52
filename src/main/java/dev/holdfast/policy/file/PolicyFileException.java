package dev.holdfast.policy.file;

/** A policy or tokens file that can't be used; the message names the line, and what to do. */
public final class PolicyFileException extends Exception {
    public PolicyFileException(String message) {
        super(message, null, false, false);
    }

    public static PolicyFileException at(int line, String problem, String remedy) {
        return new PolicyFileException("line " + line + ": " + problem + ". " + remedy);
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
