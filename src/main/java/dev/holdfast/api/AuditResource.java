package dev.holdfast.api;

import static dev.holdfast.api.Reply.JSON;

import dev.holdfast.message.body.QueryParameters;
import dev.holdfast.message.view.AuditJson;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.Journal;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Reads the journal, for operators and observers: what others ran is none of an agent's business. */
@Path("/v1/audit")
@RunOnVirtualThread
@Tag(name = "Policy")
public final class AuditResource {
    private final Journal journal;
    private final Caller caller;

    public AuditResource(Journal journal, Caller caller) {
        this.journal = journal;
        this.caller = caller;
    }

    @GET
    @Operation(
            summary = "Read the journal: what was decided and done, by whom",
            description = "For operators and observers.")
    @APIResponse(
            responseCode = "200",
            description = "A part of it, the oldest entry first",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = AuditJson.class)))
    public Response readAudit(@Context RoutingContext http) {
        if (caller.actor().role() == Role.AGENT) {
            throw new Refusal(
                    ErrorKind.FORBIDDEN,
                    "The journal is not for agents.",
                    "Ask an operator, or use the token of an observer.");
        }
        return Reply.json(AuditJson.of(journal.read(QueryParameters.audit(http.queryParams()))));
    }
}
