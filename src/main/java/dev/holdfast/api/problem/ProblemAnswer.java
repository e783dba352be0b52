package dev.holdfast.api.problem;

import dev.holdfast.message.view.Accept;
import dev.holdfast.render.Receipts;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A problem in the form its caller reads: the document, or the text of a receipt with {@code Accept: text/plain}.
 *
 * @param mediaType of {@code body}
 */
public record ProblemAnswer(Problem problem, String mediaType, byte[] body) {
    public static ProblemAnswer of(Problem problem, @Nullable String accept) {
        if (Accept.of(accept, Accept.TEXT) == Accept.TEXT) {
            String text = Receipts.failure(problem.detail(), problem.recoveryHint());
            return new ProblemAnswer(problem, "text/plain;charset=UTF-8", text.getBytes(StandardCharsets.UTF_8));
        }
        return new ProblemAnswer(problem, Problem.MEDIA_TYPE, problem.json());
    }

    /** Answers a request that reached no resource; nothing is sent when an answer has begun. Any thread. */
    public static void send(HttpServerRequest request, Problem problem) {
        HttpServerResponse response = request.response();
        if (!response.headWritten() && !response.closed()) {
            response.end(of(problem, request.getHeader("Accept")).headOn(response));
        }
    }

    /** The same, but the answer is complete only when it is ended: what the client still sends can be read first. */
    public static void begin(HttpServerRequest request, Problem problem) {
        HttpServerResponse response = request.response();
        response.write(of(problem, request.getHeader("Accept")).headOn(response));
    }

    /** Sets status and headers, and gives the body to be written. */
    private Buffer headOn(HttpServerResponse response) {
        problem.headers().forEach(response::putHeader);
        response.setStatusCode(problem.status())
                .putHeader("Content-Type", mediaType)
                .putHeader("Content-Length", Integer.toString(body.length));
        return Buffer.buffer(body);
    }
}
