package dev.holdfast.api;

import dev.holdfast.api.stream.EventStream;
import dev.holdfast.message.view.Json;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.feed.FeedReader;
import dev.holdfast.task.TaskId;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Answers of resources, and the ids in their paths. */
public final class Reply {
    public static final String JSON = "application/json";
    private static final MediaType TEXT = MediaType.TEXT_PLAIN_TYPE.withCharset("UTF-8");

    private Reply() {}

    /** @param body a record that is written as JSON */
    static Response.ResponseBuilder json(int status, Object body) {
        return Response.status(status).type(MediaType.APPLICATION_JSON_TYPE).entity(Json.bytes(body));
    }

    public static Response json(Object body) {
        return json(Response.Status.OK.getStatusCode(), body).build();
    }

    static Response.ResponseBuilder text(int status, String body) {
        return Response.status(status).type(TEXT).entity(body.getBytes(StandardCharsets.UTF_8));
    }

    /** The id of the last event that the caller has seen; null for none. */
    static @Nullable String lastEventId(RoutingContext http) {
        String seen = http.request().getHeader("Last-Event-ID");
        return seen == null || seen.isBlank() ? null : seen.strip();
    }

    static Response events(FeedReader reader, Waiting waiting, RoutingContext http) {
        if (reader.finished()) {
            return Response.noContent().build();
        }
        Runnable over = waiting.stream(http, reader::abandon);
        http.addEndHandler(_ -> {
            over.run();
            reader.abandon();
        });
        return Response.ok(new EventStream(http.response(), reader))
                .header("Content-Type", "text/event-stream;charset=UTF-8")
                .build();
    }

    /** @throws Refusal {@code task_not_found}: no task can have that id */
    public static TaskId id(String inPath) {
        return TaskId.parse(inPath)
                .orElseThrow(() -> new Refusal(
                        ErrorKind.TASK_NOT_FOUND,
                        "There is no task with that id.",
                        "List the tasks with GET /v1/tasks?status=all."));
    }
}
