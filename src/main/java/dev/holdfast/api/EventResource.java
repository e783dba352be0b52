package dev.holdfast.api;

import dev.holdfast.message.body.QueryParameters;
import dev.holdfast.runtime.feed.EventFeed;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/**
 * What happens to all tasks, as server-sent events. An event's id resumes after it while that is kept; else a
 * {@code resync} comes first.
 */
@Path("/v1/events")
@RunOnVirtualThread
@Tag(name = "Events")
public final class EventResource {
    private final EventFeed feed;
    private final Waiting waiting;

    public EventResource(EventFeed feed, Waiting waiting) {
        this.feed = feed;
        this.waiting = waiting;
    }

    @GET
    @Operation(summary = "Follow all tasks: output (without its text), status, waiting, ports; and approvals")
    @APIResponse(responseCode = "200", description = "Events", content = @Content(mediaType = "text/event-stream"))
    public Response followAll(@Context RoutingContext http) {
        Map<String, String> labels = QueryParameters.events(http.queryParams());
        return Reply.events(feed.all(labels, Reply.lastEventId(http)), waiting, http);
    }
}
