package dev.holdfast.api;

import dev.holdfast.api.stream.EventStream;
import dev.holdfast.runtime.ErrorKind;
import dev.holdfast.runtime.EventFeed;
import dev.holdfast.runtime.FeedReader;
import dev.holdfast.runtime.Refusal;
import dev.holdfast.task.TaskId;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Answers of resources, and the ids in their paths. */
final class Reply {
    private static final MediaType TEXT = MediaType.TEXT_PLAIN_TYPE.withCharset("UTF-8");

    private Reply() {}

    static Response.ResponseBuilder json(int status, byte[] body) {
        return Response.status(status).type(MediaType.APPLICATION_JSON_TYPE).entity(body);
    }

    static Response json(byte[] body) {
        return json(Response.Status.OK.getStatusCode(), body).build();
    }

    static Response.ResponseBuilder text(int status, String body) {
        return Response.status(status).type(TEXT).entity(body.getBytes(StandardCharsets.UTF_8));
    }

    /** @param task null for all tasks */
    static Response events(EventFeed feed, @Nullable TaskId task, RoutingContext http) {
        String seen = http.request().getHeader("Last-Event-ID");
        FeedReader reader = feed.open(task, seen == null || seen.isBlank() ? null : seen.strip());
        if (seen != null && reader.finished()) {
            reader.close();
            return Response.noContent().build();
        }
        http.addEndHandler(over -> reader.abandon());
        return Response.ok(new EventStream(http.response(), http.vertx().getOrCreateContext(), reader))
                .header("Content-Type", "text/event-stream;charset=UTF-8")
                .build();
    }

    /** @throws Refusal {@code task_not_found}: no task can have that id */
    static TaskId id(String inPath) {
        return TaskId.parse(inPath)
                .orElseThrow(() -> new Refusal(
                        ErrorKind.TASK_NOT_FOUND,
                        "There is no task with that id.",
                        "List the tasks with GET /v1/tasks?status=all.",
                        Map.of()));
    }
}
