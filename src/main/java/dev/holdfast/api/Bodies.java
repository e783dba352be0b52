package dev.holdfast.api;

import dev.holdfast.api.problem.Failures;
import dev.holdfast.api.problem.ProblemAnswer;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads the whole body of a request that changes something, before it goes on to its resource: JSON alone, and never
 * more than the limit. Runs on the event loop and does not block it.
 */
final class Bodies implements Handler<RoutingContext> {
    private static final String KEY = Bodies.class.getName();
    private static final byte[] EMPTY = {};
    private static final int UNSUPPORTED_MEDIA_TYPE = 415;

    private final long limit;

    /** @param limit of bytes */
    Bodies(long limit) {
        this.limit = limit;
    }

    /** The body that was read; empty when there was none. */
    static byte[] of(RoutingContext context) {
        byte[] body = context.get(KEY);
        return body == null ? EMPTY : body;
    }

    @Override
    public void handle(RoutingContext context) {
        HttpServerRequest request = context.request();
        boolean changes =
                request.method().equals(HttpMethod.POST) || request.method().equals(HttpMethod.PUT);
        if (!changes || !context.normalizedPath().startsWith("/v1/")) {
            context.next();
            return;
        }
        long announced = announced(request);
        if (announced > limit) {
            new RefusedBody(context, limit).refuse();
        } else if (announced != 0 && !isJson(request.getHeader("Content-Type"))) {
            ProblemAnswer.send(request, Failures.http(UNSUPPORTED_MEDIA_TYPE));
        } else {
            read(context);
        }
    }

    /** The bytes to come by the request's own word; -1 when it does not say. */
    private static long announced(HttpServerRequest request) {
        String length = request.getHeader("Content-Length");
        if (length == null) {
            return request.getHeader("Transfer-Encoding") == null ? 0 : -1;
        }
        try {
            return Long.parseLong(length.strip());
        } catch (NumberFormatException e) {
            // Not a number that fits: certainly more than any limit.
            return Long.MAX_VALUE;
        }
    }

    private static boolean isJson(@Nullable String contentType) {
        if (contentType == null) {
            return true;
        }
        int end = contentType.indexOf(';');
        String type =
                (end < 0 ? contentType : contentType.substring(0, end)).strip().toLowerCase(Locale.ROOT);
        return type.equals("application/json") || type.endsWith("+json");
    }

    private void read(RoutingContext context) {
        HttpServerRequest request = context.request();
        if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
            request.response().writeContinue();
        }
        Buffer[] read = {Buffer.buffer()};
        request.handler(part -> {
            if (read[0].length() + (long) part.length() > limit) {
                read[0] = Buffer.buffer();
                new RefusedBody(context, limit).refuse();
            } else {
                read[0].appendBuffer(part);
            }
        });
        request.endHandler(end -> {
            context.put(KEY, read[0].getBytes());
            context.next();
        });
    }
}
