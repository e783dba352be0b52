package dev.holdfast.api;

import static dev.holdfast.api.Reply.JSON;

import dev.holdfast.api.security.Tokens;
import dev.holdfast.message.body.AddToken;
import dev.holdfast.message.view.TokenJson;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.policy.actor.TokenFile;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.task.Sha256;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.logging.Logger;

/** Who is let in: the tokens file, changed by an operator who is held to nothing. */
@Path("/v1/tokens")
@RunOnVirtualThread
@Tag(name = "Tokens")
public final class TokenResource {
    private static final Logger LOG = Logger.getLogger(TokenResource.class);

    private final TokenFile file;
    private final Caller caller;

    public TokenResource(TokenFile file, Caller caller) {
        this.file = file;
        this.caller = caller;
    }

    @GET
    @Operation(summary = "Who is let in besides the operator; their tokens are not known")
    @APIResponse(
            responseCode = "200",
            description = "Tokens",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = TokenJson.Listing.class)))
    public Response listTokens() {
        operator();
        return Reply.json(new TokenJson.Listing(changed(file::all).stream()
                .map(actor -> TokenJson.of(actor, null))
                .toList()));
    }

    @POST
    @Operation(summary = "Let somebody in; the answer alone has the token")
    @RequestBody(content = @Content(mediaType = JSON, schema = @Schema(implementation = AddToken.class)))
    @APIResponse(
            responseCode = "200",
            description = "Who is let in from now on, with the token",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = TokenJson.class)))
    public Response addToken(@Context RoutingContext http) {
        operator();
        Actor actor = Bodies.use(http, AddToken::parse);
        String token = Tokens.made();
        try {
            if (!changed(() -> file.add(actor, Sha256.of(token)))) {
                throw Refusal.invalid(
                        "name", "has a token already", "Take another name, or DELETE /v1/tokens/" + actor.name() + ".");
            }
        } catch (IllegalArgumentException noToken) {
            throw Refusal.invalid("", String.valueOf(noToken.getMessage()), "Nobody was let in: send another.");
        }
        LOG.infof("%s made a token for %s, %s", caller.actor().name(), actor.name(), actor.role());
        return Reply.json(TokenJson.of(actor, token));
    }

    @DELETE
    @Path("/{name}")
    @Operation(summary = "Let somebody in no more; what it started runs on")
    @APIResponse(responseCode = "204", description = "Its token opens nothing any more")
    public Response removeToken(@PathParam("name") String name) {
        operator();
        if (!changed(() -> file.remove(name))) {
            throw new Refusal(
                    ErrorKind.TOKEN_NOT_FOUND, "There is no token of that name.", "List them with GET /v1/tokens.");
        }
        LOG.infof("%s removed the token of %s", caller.actor().name(), name);
        return Response.noContent().build();
    }

    /** Who is held to a mode or a wall could else let itself in without. */
    private void operator() {
        Actor actor = caller.actor();
        if (actor.role() != Role.OPERATOR || actor.mode() != Mode.OPEN || actor.sandbox() != null) {
            throw new Refusal(
                    ErrorKind.FORBIDDEN,
                    "Only an operator who is held to no mode and no wall says who is let in.",
                    "Call with the server's own token, which is in the file `token` of its data folder.");
        }
    }

    @FunctionalInterface
    private interface Work<T> {
        T run() throws IOException;
    }

    private static <T> T changed(Work<T> work) {
        try {
            return work.run();
        } catch (IOException e) {
            throw new Refusal(
                    ErrorKind.TOKENS_UNUSABLE,
                    "The tokens file can't be used: " + e.getMessage(),
                    "Mend the file, or its folder where that is full or read-only, then try again; nothing was changed."
                            + " GET /q/health/well names the flaw.");
        }
    }
}
