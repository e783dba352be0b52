package dev.holdfast.api;

import dev.holdfast.api.problem.Failures;
import dev.holdfast.api.problem.Problem;
import dev.holdfast.api.problem.ProblemAnswer;
import dev.holdfast.message.body.QueryParameters;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the whole body of a request that changes something, before it goes on to its resource: JSON alone, never more
 * than the limit, and never more of all together than there is room for. Runs on the event loop and does not block it.
 *
 * @param limit of bytes
 */
public record Bodies(long limit, BodyRoom room) implements Handler<RoutingContext> {
    private static final String KEY = Bodies.class.getName();
    private static final int UNSUPPORTED_MEDIA_TYPE = 415;
    private static final Problem ENCODED = Problem.http(
            UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            "The body is compressed, or encoded in another way, by its Content-Encoding.",
            "Send it as it is, without Content-Encoding.",
            Map.of("Accept-Encoding", "identity"));

    /** A body that was read, and its share of the room until its resource is done with it. */
    private static final class Body {
        final BodyRoom.Share share;
        byte[] bytes = {};
        volatile boolean inUse;

        Body(BodyRoom.Share share) {
            this.share = share;
        }

        /** The request is over: answered, refused, or its client is gone; what a resource still works on it holds. */
        void over() {
            if (!inUse) {
                share.release();
            }
        }
    }

    /** The same where its path takes no parameters. */
    public static <T> T use(RoutingContext context, Function<byte[], T> resource) {
        QueryParameters.none(context.queryParams());
        return useWithParameters(context, resource);
    }

    /** What a resource does with the body of its request, which is empty when there was none. */
    static <T> T useWithParameters(RoutingContext context, Function<byte[], T> resource) {
        Body body = context.remove(KEY);
        if (body == null) {
            return resource.apply(new byte[0]);
        }
        body.inUse = true;
        try {
            return resource.apply(body.bytes);
        } finally {
            body.share.release();
        }
    }

    /** The body that was read, for who does not hold it beyond the request. */
    static Buffer read(RoutingContext context) {
        Body body = context.get(KEY);
        return body == null ? Buffer.buffer() : Buffer.buffer(body.bytes);
    }

    @Override
    public void handle(RoutingContext context) {
        HttpServerRequest request = context.request();
        boolean changes =
                request.method().equals(HttpMethod.POST) || request.method().equals(HttpMethod.PUT);
        String path = context.normalizedPath();
        if (!changes || !(path.startsWith("/v1/") || McpDoor.leadsTo(path))) {
            context.next();
            return;
        }
        long announced = announced(request);
        if (announced > limit) {
            new RefusedBody(context, Problem.tooLarge(limit)).refuse();
        } else if (announced != 0 && !isJson(request.getHeader("Content-Type"))) {
            ProblemAnswer.send(request, Failures.http(UNSUPPORTED_MEDIA_TYPE));
        } else if (announced != 0 && isEncoded(request.getHeader("Content-Encoding"))) {
            ProblemAnswer.send(request, ENCODED);
        } else {
            take(context);
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

    private static boolean isEncoded(@Nullable String encoding) {
        return encoding != null && !encoding.strip().equalsIgnoreCase("identity");
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

    private void take(RoutingContext context) {
        HttpServerRequest request = context.request();
        if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
            request.response().writeContinue();
        }
        Body body = new Body(room.share());
        context.addEndHandler(end -> body.over());
        Buffer[] read = {Buffer.buffer()};
        request.handler(part -> {
            Problem problem = problem(read[0].length() + (long) part.length(), body, part.length());
            if (problem == null) {
                read[0].appendBuffer(part);
            } else {
                read[0] = Buffer.buffer();
                body.share.release();
                new RefusedBody(context, problem).refuse();
            }
        });
        request.endHandler(end -> {
            body.bytes = read[0].getBytes();
            context.put(KEY, body);
            context.next();
        });
    }

    private @Nullable Problem problem(long size, Body body, int more) {
        if (size > limit) {
            return Problem.tooLarge(limit);
        }
        return body.share.take(more) ? null : Problem.of(full());
    }

    private Refusal full() {
        return new Refusal(
                ErrorKind.CAPACITY_EXHAUSTED,
                "The bodies of all requests may hold " + room.size()
                        + " bytes together, and others hold too many just now;" + " nothing was started.",
                "Try again in a moment; or send less at once, or put it into a file and name the file.",
                Map.of("limit_bytes", room.size()));
    }
}
