package dev.holdfast.api;

import dev.holdfast.message.body.QueryParameters;
import dev.holdfast.runtime.feed.EventFeed;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** What happens to one task, as server-sent events. */
@Path("/v1/tasks/{id}/events")
@RunOnVirtualThread
@Tag(name = "Events")
public final class TaskEventResource {
    private final EventFeed feed;
    private final Waiting waiting;

    public TaskEventResource(EventFeed feed, Waiting waiting) {
        this.feed = feed;
        this.waiting = waiting;
    }

    @GET
    @Operation(summary = "Follow one task to its end: output, status, waiting, ports")
    @APIResponse(responseCode = "200", description = "Events", content = @Content(mediaType = "text/event-stream"))
    @APIResponse(responseCode = "204", description = "It ended, and everything was seen: do not connect again")
    public Response followTask(@PathParam("id") String id, @Context RoutingContext http) {
        QueryParameters.none(http.queryParams());
        return Reply.events(feed.one(Reply.id(id), Reply.lastEventId(http)), waiting, http);
    }
}
