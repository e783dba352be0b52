package dev.holdfast.api.problem;

/** A failure of HTTP itself that a resource found. Carries no stack trace: it is an answer. */
public final class ProblemException extends RuntimeException {
    private final transient Problem problem;

    public ProblemException(Problem problem) {
        super(problem.detail(), null, false, false);
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }
}
