package dev.holdfast.api;

import dev.holdfast.api.stream.EventStream;
import dev.holdfast.runtime.EventFeed;
import dev.holdfast.task.TaskId;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** What happens to tasks, as server-sent events; an event's id is a cursor that resumes after it. */
@Path("/v1")
@Singleton
@RunOnVirtualThread
@Tag(name = "Events")
public final class EventResource {
    private final EventFeed feed;

    @Inject
    public EventResource(EventFeed feed) {
        this.feed = feed;
    }

    @GET
    @Path("/events")
    @Operation(operationId = "followAll", summary = "Follow all tasks: output, status, waiting, ports")
    @Parameter(name = "Last-Event-ID", in = ParameterIn.HEADER, description = "the last event that was seen")
    @APIResponse(responseCode = "200", description = "Events", content = @Content(mediaType = "text/event-stream"))
    public Response all(@Context RoutingContext http) {
        return follow(null, http);
    }

    @GET
    @Path("/tasks/{id}/events")
    @Operation(operationId = "followTask", summary = "Follow one task to its end: output, status, waiting, ports")
    @Parameter(name = "Last-Event-ID", in = ParameterIn.HEADER, description = "the last event that was seen")
    @APIResponse(responseCode = "200", description = "Events", content = @Content(mediaType = "text/event-stream"))
    @APIResponse(responseCode = "204", description = "It ended, and everything was seen: do not connect again")
    public Response one(@PathParam("id") String id, @Context RoutingContext http) {
        return follow(Reply.id(id), http);
    }

    private Response follow(@Nullable TaskId task, RoutingContext http) {
        String seen = http.request().getHeader("Last-Event-ID");
        EventFeed.Reader reader = feed.open(task, seen == null || seen.isBlank() ? null : seen.strip());
        if (seen != null && reader.finished()) {
            reader.close();
            return Response.noContent().build();
        }
        return Response.ok(new EventStream(http.response(), reader))
                .header("Content-Type", "text/event-stream;charset=UTF-8")
                .build();
    }
}
