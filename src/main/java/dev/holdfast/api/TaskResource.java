package dev.holdfast.api;

import static dev.holdfast.api.Reply.JSON;

import dev.holdfast.message.body.QueryParameters;
import dev.holdfast.message.body.TaskBodies;
import dev.holdfast.message.body.TaskInput;
import dev.holdfast.message.view.Accept;
import dev.holdfast.message.view.ScreenJson;
import dev.holdfast.message.view.TaskJson;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.control.TaskControl;
import dev.holdfast.runtime.control.Terminals;
import dev.holdfast.runtime.feed.EventFeed;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalScreen;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.MultiMap;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import java.nio.charset.StandardCharsets;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Looks at tasks and their terminals, follows, feeds, signals and stops them. */
@Path("/v1/tasks")
@RunOnVirtualThread
@Tag(name = "Tasks")
public final class TaskResource {
    private static final int OK = 200;
    private static final String ANSI = "application/x-ansi";

    private final Tasks tasks;
    private final TaskControl control;
    private final Terminals terminals;
    private final EventFeed feed;
    private final Waiting waiting;

    public TaskResource(Tasks tasks, TaskControl control, Terminals terminals, EventFeed feed, Waiting waiting) {
        this.tasks = tasks;
        this.control = control;
        this.terminals = terminals;
        this.feed = feed;
        this.waiting = waiting;
    }

    @GET
    @Operation(summary = "List tasks, newest first; the active ones unless asked for others")
    @APIResponse(
            responseCode = "200",
            description = "A page of tasks",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = TaskJson.Page.class)))
    public Response listTasks(@Context RoutingContext http) {
        MultiMap asked = http.queryParams();
        return Reply.json(TaskJson.listing(tasks.list(QueryParameters.list(asked), QueryParameters.fresh(asked))));
    }

    @GET
    @Path("/{id}")
    @Operation(summary = "One task as it stands now, its processes as last seen")
    @APIResponse(
            responseCode = "200",
            description = "The task",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = TaskJson.class)))
    public Response getTask(@PathParam("id") String id, @Context RoutingContext http) {
        return Reply.json(TaskJson.of(tasks.get(Reply.id(id), QueryParameters.task(http.queryParams()))));
    }

    @DELETE
    @Path("/{id}")
    @Operation(summary = "Forget an ended task and its output")
    @APIResponse(responseCode = "204", description = "It is forgotten")
    public Response forgetTask(@PathParam("id") String id, @Context RoutingContext http) {
        QueryParameters.none(http.queryParams());
        tasks.delete(Reply.id(id));
        return Response.noContent().build();
    }

    @POST
    @Path("/{id}/stop")
    @Operation(summary = "TERM, the grace, then KILL of everything it started; answers when all of it is verified gone")
    @RequestBody(content = @Content(mediaType = JSON, schema = @Schema(implementation = TaskBodies.StopTask.class)))
    @APIResponse(
            responseCode = "200",
            description = "The task, and what survived",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = TaskJson.Stopped.class)))
    public Response stopTask(@PathParam("id") String id, @Context RoutingContext http) {
        TaskBodies.StopTask stop = Bodies.use(http, TaskBodies::stop);
        return Reply.json(
                TaskJson.stopped(waiting.during(http, () -> control.stop(Reply.id(id), stop.grace(), stop.forced()))));
    }

    @POST
    @Path("/{id}/signal")
    @Operation(summary = "Send a signal to its whole process group")
    @RequestBody(content = @Content(mediaType = JSON, schema = @Schema(implementation = TaskBodies.SignalTask.class)))
    @APIResponse(
            responseCode = "200",
            description = "The task",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = TaskJson.class)))
    public Response signalTask(@PathParam("id") String id, @Context RoutingContext http) {
        return Reply.json(TaskJson.of(control.signal(Reply.id(id), Bodies.use(http, TaskBodies::signal))));
    }

    @POST
    @Path("/{id}/input")
    @Operation(summary = "Write to its stdin or terminal: text, base64 or keys, and the end")
    @RequestBody(content = @Content(mediaType = JSON, schema = @Schema(implementation = TaskInput.class)))
    @APIResponse(
            responseCode = "200",
            description = "All was taken",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = TaskJson.Fed.class)))
    public Response writeInput(@PathParam("id") String path, @Context RoutingContext http) {
        return Bodies.use(http, body -> input(http, path, TaskInput.parse(body)));
    }

    private Response input(RoutingContext http, String path, TaskInput.Written input) {
        TaskId id = Reply.id(path);
        var taken = waiting.during(http, () -> control.input(id, input.bytes(), input.keys(), input.eof()));
        return Reply.json(TaskJson.fed(taken, input.eof()));
    }

    @PUT
    @Path("/{id}/terminal-size")
    @Operation(summary = "Give its terminal another size")
    @RequestBody(content = @Content(mediaType = JSON, schema = @Schema(implementation = TaskBodies.Sides.class)))
    @APIResponse(
            responseCode = "200",
            description = "The task",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = TaskJson.class)))
    public Response resizeTerminal(@PathParam("id") String id, @Context RoutingContext http) {
        return Reply.json(TaskJson.of(control.resize(Reply.id(id), Bodies.use(http, TaskBodies::terminalSize))));
    }

    @GET
    @Path("/{id}/screen")
    @Tag(name = "Terminals")
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

    @GET
    @Path("/{id}/events")
    @Tag(name = "Events")
    @Operation(summary = "Follow one task to its end: output, status, waiting, ports")
    @APIResponse(responseCode = "200", description = "Events", content = @Content(mediaType = "text/event-stream"))
    @APIResponse(responseCode = "204", description = "It ended, and everything was seen: do not connect again")
    public Response followTask(@PathParam("id") String id, @Context RoutingContext http) {
        QueryParameters.none(http.queryParams());
        return Reply.events(feed.one(Reply.id(id), Reply.lastEventId(http)), waiting, http);
    }
}
