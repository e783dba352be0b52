package dev.holdfast.api;

import static dev.holdfast.api.Reply.JSON;

import dev.holdfast.message.body.QueryParameters;
import dev.holdfast.message.view.Accept;
import dev.holdfast.message.view.ScreenJson;
import dev.holdfast.runtime.control.Terminals;
import dev.holdfast.task.TerminalScreen;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import java.nio.charset.StandardCharsets;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Looks at the screen of a task's terminal: as JSON, as its lines, or as what paints it. */
@Path("/v1/tasks/{id}/screen")
@RunOnVirtualThread
@Tag(name = "Terminals")
public final class ScreenResource {
    private static final int OK = 200;
    private static final String ANSI = "application/x-ansi";

    private final Terminals terminals;

    public ScreenResource(Terminals terminals) {
        this.terminals = terminals;
    }

    @GET
    @Operation(summary = "The screen of its terminal as a person would see it; after its end as it stood last")
    @APIResponse(
            responseCode = "200",
            description = "The screen: described, its lines as text, or the escapes that paint it on a terminal"
                    + " of its size that was just switched on",
            content = {
                @Content(mediaType = JSON, schema = @Schema(implementation = ScreenJson.class)),
                @Content(
                        mediaType = "text/plain",
                        schema = @Schema(type = SchemaType.STRING),
                        example = "$ ls\nREADME.md  src\n$"),
                @Content(mediaType = ANSI)
            })
    public Response getScreen(@PathParam("id") String id, @Context RoutingContext http) {
        QueryParameters.none(http.queryParams());
        TerminalScreen screen = terminals.screen(Reply.id(id));
        return switch (Accept.of(http.request().getHeader("Accept"), Accept.TEXT, Accept.ANSI)) {
            case TEXT -> Reply.text(OK, screen.text()).build();
            case ANSI ->
                Response.ok(screen.paint().getBytes(StandardCharsets.UTF_8), ANSI)
                        .build();
            default -> Reply.json(ScreenJson.of(screen));
        };
    }
}
