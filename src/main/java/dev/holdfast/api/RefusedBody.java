package dev.holdfast.api;

import dev.holdfast.api.problem.Problem;
import dev.holdfast.api.problem.ProblemAnswer;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/**
 * Answers at once and goes on taking what the client still sends, so that it gets to read the answer: a connection
 * closed in the middle of an upload would be reset. Takes 256 MiB or 10 seconds more at most. On the event loop.
 */
final class RefusedBody {
    private static final long MAX_DISCARDED = 256L << 20;
    private static final long MAX_MILLIS = 10_000;

    private final RoutingContext context;
    private final Problem problem;
    private long discarded;
    private boolean finished;

    RefusedBody(RoutingContext context, Problem problem) {
        this.context = context;
        this.problem = problem;
    }

    void refuse() {
        HttpServerRequest request = context.request();
        HttpServerResponse response = request.response();
        response.putHeader("Connection", "close");
        ProblemAnswer.begin(request, problem);
        if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
            finish(); // Who asks first does not send it.
            return;
        }
        long timer = context.vertx().setTimer(MAX_MILLIS, id -> finish());
        request.handler(this::discard);
        request.endHandler(end -> {
            context.vertx().cancelTimer(timer);
            finish();
        });
    }

    private void discard(Buffer part) {
        discarded += part.length();
        if (discarded > MAX_DISCARDED) {
            finish();
        }
    }

    private void finish() {
        HttpServerResponse response = context.response();
        if (!finished && !response.closed()) {
            finished = true;
            response.end().onComplete(done -> context.request().connection().close());
        }
    }
}
