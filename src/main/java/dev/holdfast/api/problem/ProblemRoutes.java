package dev.holdfast.api.problem;

import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.List;

/** Problem documents for what no resource answers: unknown paths, and failures outside of every resource. */
@Singleton
public final class ProblemRoutes {
    private static final int FIRST = -20_000;
    /** And after the gate. */
    private static final int BEFORE_RESOURCES = -1;

    private static final int NOT_FOUND = 404;
    private static final Problem GONE = Problem.http(
            NOT_FOUND,
            "not_found",
            "There is no such session: it was ended, or was of a server that has ended since.",
            "Send `initialize` without Mcp-Session-Id to begin another; tasks are not of a session and go on.");
    private static final List<Integer> GIVEN_UP_BY_VERTX = List.of(400, NOT_FOUND, 405, 406, 413, 415, 431, 500, 501);

    void register(@Observes Router router) {
        router.route().order(FIRST).failureHandler(ProblemRoutes::failed);
        GIVEN_UP_BY_VERTX.forEach(status -> router.errorHandler(status, ProblemRoutes::failed));
        router.options().order(BEFORE_RESOURCES).handler(ProblemRoutes::options);
        router.route().order(Integer.MAX_VALUE).handler(context -> send(context, NOT_FOUND));
    }

    /** For the resources themselves name the methods of all whose paths begin alike. */
    private static void options(RoutingContext context) {
        Methods.of(context.normalizedPath())
                .ifPresentOrElse(
                        allowed -> context.response()
                                .putHeader("Allow", allowed.replace("GET", "GET, HEAD") + ", OPTIONS")
                                .end(),
                        context::next);
    }

    private static void failed(RoutingContext context) {
        send(context, context.statusCode());
    }

    private static void send(RoutingContext context, int status) {
        boolean session = status == NOT_FOUND && context.request().getHeader("Mcp-Session-Id") != null;
        ProblemAnswer.send(context.request(), session ? GONE : Failures.problem(status, context.failure()));
    }
}
