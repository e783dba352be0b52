package dev.holdfast.api;

import dev.holdfast.api.body.InputBody;
import dev.holdfast.api.body.QueryParameters;
import dev.holdfast.api.body.TaskBodies;
import dev.holdfast.api.view.TaskJson;
import dev.holdfast.runtime.ErrorKind;
import dev.holdfast.runtime.Refusal;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.task.TaskId;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Looks at tasks, feeds them, signals and stops them. */
@Path("/v1/tasks")
@Singleton
@RunOnVirtualThread
@Tag(name = "Tasks")
public final class TaskResource {
    private final Tasks tasks;

    @Inject
    public TaskResource(Tasks tasks) {
        this.tasks = tasks;
    }

    @GET
    @Operation(operationId = "listTasks", summary = "List tasks, newest first; the active ones unless asked for others")
    @Parameter(
            name = "status",
            in = ParameterIn.QUERY,
            description = "active (default), ended, all, or one status",
            schema = @Schema(type = org.eclipse.microprofile.openapi.annotations.enums.SchemaType.STRING))
    @Parameter(name = "label", in = ParameterIn.QUERY, description = "key=value, repeatable; all must match")
    @Parameter(name = "q", in = ParameterIn.QUERY, description = "text in the command")
    @Parameter(name = "limit", in = ParameterIn.QUERY, description = "1 to 100, default 20")
    @Parameter(name = "cursor", in = ParameterIn.QUERY, description = "next_cursor of a former answer")
    @APIResponse(
            responseCode = "200",
            description = "A page of tasks",
            content = @Content(mediaType = "application/json", schema = @Schema(ref = "TaskList")))
    public Response list(@Context RoutingContext http) {
        return Reply.json(TaskJson.listing(tasks.list(QueryParameters.list(http.queryParams()))));
    }

    @GET
    @Path("/{id}")
    @Operation(operationId = "getTask", summary = "One task as it stands now")
    @APIResponse(
            responseCode = "200",
            description = "The task",
            content = @Content(mediaType = "application/json", schema = @Schema(ref = "Task")))
    public Response get(@PathParam("id") String id) {
        return Reply.json(TaskJson.task(tasks.get(Reply.id(id))));
    }

    @DELETE
    @Path("/{id}")
    @Operation(operationId = "forgetTask", summary = "Forget an ended task and its output")
    @APIResponse(responseCode = "204", description = "It is forgotten")
    public Response delete(@PathParam("id") String id) {
        tasks.delete(Reply.id(id));
        return Response.noContent().build();
    }

    @POST
    @Path("/{id}/stop")
    @Operation(
            operationId = "stopTask",
            summary = "TERM, the grace, then KILL of everything it started; answers when all of it is verified gone")
    @RequestBody(content = @Content(mediaType = "application/json", schema = @Schema(ref = "StopTask")))
    @APIResponse(
            responseCode = "200",
            description = "The task, and what survived",
            content = @Content(mediaType = "application/json", schema = @Schema(ref = "StopOutcome")))
    public Response stop(@PathParam("id") String id, @Context RoutingContext http) {
        TaskBodies.Stop stop = TaskBodies.stop(Bodies.of(http));
        return Reply.json(TaskJson.stopped(tasks.stop(Reply.id(id), stop.grace(), stop.force())));
    }

    @POST
    @Path("/{id}/signal")
    @Operation(operationId = "signalTask", summary = "Send a signal to its whole process group")
    @RequestBody(
            required = true,
            content = @Content(mediaType = "application/json", schema = @Schema(ref = "SignalTask")))
    @APIResponse(
            responseCode = "200",
            description = "The task",
            content = @Content(mediaType = "application/json", schema = @Schema(ref = "Task")))
    public Response signal(@PathParam("id") String id, @Context RoutingContext http) {
        return Reply.json(TaskJson.task(tasks.signal(Reply.id(id), TaskBodies.signal(Bodies.of(http)))));
    }

    @POST
    @Path("/{id}/input")
    @Operation(
            operationId = "writeInput",
            summary = "Write to its stdin or terminal: text, base64 or keys, and the end")
    @RequestBody(
            required = true,
            content = @Content(mediaType = "application/json", schema = @Schema(ref = "TaskInput")))
    @APIResponse(
            responseCode = "200",
            description = "All was taken",
            content = @Content(mediaType = "application/json", schema = @Schema(ref = "InputOutcome")))
    public Response input(@PathParam("id") String path, @Context RoutingContext http) {
        InputBody input = InputBody.parse(Bodies.of(http));
        TaskId id = Reply.id(path);
        if (input.keys() && !tasks.get(id).task().command().tty()) {
            throw new Refusal(
                    ErrorKind.NOT_A_TERMINAL,
                    "Keys are for a terminal, and this task has none.",
                    "Send `text` or `base64`, or start the command with `tty` true.");
        }
        return Reply.json(TaskJson.input(tasks.input(id, input.bytes(), input.eof()), input.eof()));
    }

    @PUT
    @Path("/{id}/terminal-size")
    @Operation(operationId = "resizeTerminal", summary = "Give its terminal another size")
    @RequestBody(
            required = true,
            content = @Content(mediaType = "application/json", schema = @Schema(ref = "TerminalSize")))
    @APIResponse(
            responseCode = "200",
            description = "The task",
            content = @Content(mediaType = "application/json", schema = @Schema(ref = "Task")))
    public Response resize(@PathParam("id") String id, @Context RoutingContext http) {
        return Reply.json(TaskJson.task(tasks.resize(Reply.id(id), TaskBodies.terminalSize(Bodies.of(http)))));
    }
}
