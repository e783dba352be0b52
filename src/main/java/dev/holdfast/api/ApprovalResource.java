package dev.holdfast.api;

import static dev.holdfast.api.Reply.JSON;

import dev.holdfast.message.body.DecideApproval;
import dev.holdfast.message.body.QueryParameters;
import dev.holdfast.message.view.ApprovalJson;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.start.Approvals;
import dev.holdfast.runtime.start.Decisions;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** What a person is asked, and what the person answers. */
@Path("/v1/approvals")
@RunOnVirtualThread
@Tag(name = "Approvals")
public final class ApprovalResource {
    private final Approvals approvals;
    private final Decisions decisions;
    private final Caller caller;
    private final Waiting waiting;

    public ApprovalResource(Approvals approvals, Decisions decisions, Caller caller, Waiting waiting) {
        this.approvals = approvals;
        this.decisions = decisions;
        this.caller = caller;
        this.waiting = waiting;
    }

    @GET
    @Operation(summary = "What a person is asked, newest first; what waits unless asked for others")
    @APIResponse(
            responseCode = "200",
            description = "Approvals",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = ApprovalJson.Listing.class)))
    public Response listApprovals(@Context RoutingContext http) {
        return Reply.json(new ApprovalJson.Listing(
                approvals.list(QueryParameters.approvals(http.queryParams()), caller.actor()).stream()
                        .map(ApprovalJson::listed)
                        .toList()));
    }

    @GET
    @Path("/{id}")
    @Operation(summary = "One approval as it stands")
    @APIResponse(
            responseCode = "200",
            description = "The approval",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = ApprovalJson.class)))
    public Response getApproval(@PathParam("id") String id, @Context RoutingContext http) {
        Duration wait = QueryParameters.approval(http.queryParams());
        return Reply.json(ApprovalJson.of(waiting.whileThere(http, () -> approvals.get(id, caller.actor(), wait))));
    }

    @POST
    @Path("/{id}")
    @Operation(summary = "Allow or deny; what is allowed starts now, as a task where nobody waits for it any more")
    @RequestBody(content = @Content(mediaType = JSON, schema = @Schema(implementation = DecideApproval.class)))
    @APIResponse(
            responseCode = "200",
            description = "The approval, decided",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = ApprovalJson.class)))
    public Response decideApproval(@PathParam("id") String id, @Context RoutingContext http) {
        Decisions.Answer answer = Bodies.use(http, DecideApproval::parse);
        return Reply.json(ApprovalJson.of(decisions.decide(id, answer, caller.actor())));
    }
}
