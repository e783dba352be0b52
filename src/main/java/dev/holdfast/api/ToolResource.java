package dev.holdfast.api;

import static dev.holdfast.api.Reply.JSON;

import dev.holdfast.api.problem.Problem;
import dev.holdfast.api.problem.ProblemException;
import dev.holdfast.message.body.JsonBody;
import dev.holdfast.message.body.QueryParameters;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolAnswer;
import dev.holdfast.tool.ToolRegistry;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** The tools that agents call, over HTTP. */
@Path("/v1/tools")
@RunOnVirtualThread
@Tag(name = "Tools")
public final class ToolResource {
    private final ToolRegistry tools;
    private final Waiting waiting;

    public ToolResource(ToolRegistry tools, Waiting waiting) {
        this.tools = tools;
        this.waiting = waiting;
    }

    @Schema(description = "The tools of a profile, as a model is told of them")
    public record Toolbox(String profile, List<Tool.Description> tools) {}

    @GET
    @Operation(summary = "The tools of a profile, each with the schema of its input")
    @APIResponse(
            responseCode = "200",
            description = "The tools",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = Toolbox.class)))
    public Response listTools(@Context RoutingContext http) {
        Profile profile = profile(http);
        return Reply.json(new Toolbox(
                profile.toString(),
                tools.of(profile).stream().map(Tool::description).toList()));
    }

    @POST
    @Path("/{name}")
    @Operation(summary = "Call a tool; what went wrong in it is an answer too, with status error")
    @RequestBody(
            content =
                    @Content(
                            mediaType = JSON,
                            schema = @Schema(type = SchemaType.OBJECT, examples = "{\"cmd\": \"npm test\"}")))
    @APIResponse(
            responseCode = "200",
            description = "What came of it",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = ToolAnswer.class)))
    public Response callTool(@PathParam("name") String name, @Context RoutingContext http) {
        Tool<?> tool = tools.find(profile(http), name).orElseThrow(() -> unknown(name));
        if (!tool.description().annotations().idempotentHint()) {
            CommandResource.refuseKey(http, "the tool " + tool.name());
        }
        return Bodies.useWithParameters(http, body -> {
            JsonBody.requireObject(body);
            return Reply.json(waiting.whileThere(http, () -> tools.call(tool, body, new Call(Call.NO_LIMIT))));
        });
    }

    private static Profile profile(RoutingContext http) {
        return Profile.named(QueryParameters.profile(http.queryParams()));
    }

    private static ProblemException unknown(String name) {
        return new ProblemException(Problem.http(
                404, "tool_not_found", "There is no tool `" + name + "`.", "The tools are listed by GET /v1/tools."));
    }
}
