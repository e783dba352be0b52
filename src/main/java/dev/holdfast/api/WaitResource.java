package dev.holdfast.api;

import static dev.holdfast.api.Reply.JSON;

import dev.holdfast.message.body.WaitFor;
import dev.holdfast.message.view.WaitJson;
import dev.holdfast.runtime.wait.Conditions;
import dev.holdfast.runtime.wait.WaitRequest;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import java.util.concurrent.CompletableFuture;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Waits for any tasks and any conditions. A client that hangs up ends its wait. */
@Path("/v1/wait")
@RunOnVirtualThread
@Tag(name = "Tasks")
public final class WaitResource {
    private final Conditions conditions;
    private final Waiting waiting;

    public WaitResource(Conditions conditions, Waiting waiting) {
        this.conditions = conditions;
        this.waiting = waiting;
    }

    @POST
    @Operation(summary = "Wait until any or all of up to 64 conditions came true, can't any more, or the time is over")
    @RequestBody(content = @Content(mediaType = JSON, schema = @Schema(implementation = WaitFor.class)))
    @APIResponse(
            responseCode = "200",
            description = "What came true; a time-out is an ordinary answer",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = WaitJson.class)))
    public Response waitFor(@Context RoutingContext http) {
        WaitRequest request = Bodies.use(http, body -> WaitFor.parse(body, Reply::id));
        CompletableFuture<Void> hungUp = Waiting.hungUp(http);
        return Reply.json(WaitJson.of(waiting.during(http, () -> conditions.await(request, hungUp))));
    }
}
