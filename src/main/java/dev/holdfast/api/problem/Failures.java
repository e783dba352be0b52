package dev.holdfast.api.problem;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.call.Remedy;
import jakarta.ws.rs.WebApplicationException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * What went wrong, as a problem. What nobody foresaw goes into the log under a reference, and only the reference out.
 */
public final class Failures {
    private static final Logger LOG = Logger.getLogger(Failures.class);
    private static final int SERVER_ERROR = 500;
    /** A cause may lead back to itself. */
    private static final int CAUSES = 10;

    private Failures() {}

    public static Problem problem(Throwable failure) {
        return switch (failure) {
            case Refusal refusal -> Problem.of(refusal);
            case ProblemException known -> known.problem();
            case CompletionException elsewhere when elsewhere.getCause() != null -> problem(elsewhere.getCause());
            case WebApplicationException web
            when web.getResponse().getStatus() < SERVER_ERROR ->
                http(web.getResponse().getStatus());
            default -> unforeseen(failure);
        };
    }

    private static Problem unforeseen(Throwable failure) {
        String reference =
                "err_" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(), 12);
        LOG.errorf(failure, "%s: a request failed in a way that was not foreseen", reference);
        return Problem.of(new Refusal(
                ErrorKind.INTERNAL,
                "Something went wrong in the server; its log says what under " + reference + ".",
                Remedy.of(said(failure), "Look the task up before you try again; report the reference if it stays."),
                Map.of("reference", reference)));
    }

    /** In one line of each cause: where there is no descriptor, the outermost is seldom who says so. */
    private static String said(Throwable failure) {
        StringBuilder said = new StringBuilder();
        Throwable cause = failure;
        for (int i = 0; i < CAUSES && cause != null; i++) {
            said.append(cause).append('\n');
            cause = cause.getCause();
        }
        return said.toString();
    }

    /** @param path that has other methods */
    public static Problem notAllowed(String path) {
        String allow = Methods.of(path).orElse("");
        return Problem.http(
                405,
                "method_not_allowed",
                "This path does not have that method.",
                allow.isEmpty() ? "The methods are described at /q/openapi." : "Use one of: " + allow + ".",
                Map.of("Allow", allow));
    }

    /** A failure that HTTP has a status for. */
    public static Problem http(int status) {
        return switch (status) {
            case 404 ->
                Problem.http(
                        status,
                        "not_found",
                        "There is nothing at this path.",
                        "The paths are described at /q/openapi.");
            case 415 ->
                Problem.http(
                        status,
                        "unsupported_media_type",
                        "The body is not JSON by its Content-Type.",
                        "Send it with Content-Type: application/json.");
            default ->
                Problem.http(
                        status,
                        "invalid_tool_input",
                        "The request is not one this server understands.",
                        "The calls are described at /q/openapi.");
        };
    }

    /** A status that Vert.x gave up with, by {@code failure} or by itself. */
    static Problem problem(int status, @Nullable Throwable failure) {
        if (failure instanceof Refusal || failure instanceof ProblemException) {
            return problem(failure);
        }
        if (status >= 400 && status < SERVER_ERROR) {
            return http(status);
        }
        return unforeseen(failure == null ? new IllegalStateException("HTTP status " + status) : failure);
    }
}
