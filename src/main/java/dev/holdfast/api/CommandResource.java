package dev.holdfast.api;

import static dev.holdfast.api.Reply.JSON;

import dev.holdfast.message.body.StartBatch;
import dev.holdfast.message.body.StartCommand;
import dev.holdfast.message.view.Accept;
import dev.holdfast.message.view.AnswerJson;
import dev.holdfast.message.view.BatchJson;
import dev.holdfast.render.Receipts;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.runtime.start.BatchAnswer;
import dev.holdfast.runtime.start.BatchRequest;
import dev.holdfast.runtime.start.Batches;
import dev.holdfast.runtime.start.Commands;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.Sha256;
import dev.holdfast.task.TaskId;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Starts commands. A client that goes away does not stop its command. */
@Path("/v1/commands")
@RunOnVirtualThread
@Tag(name = "Commands")
public final class CommandResource {
    private static final int OK = 200;
    private static final int ACCEPTED = 202;
    private static final String KEY = "Idempotency-Key";
    private static final int MAX_KEY = 255;

    private final Commands commands;
    private final Batches batches;
    private final Waiting waiting;

    public CommandResource(Commands commands, Batches batches, Waiting waiting) {
        this.commands = commands;
        this.batches = batches;
        this.waiting = waiting;
    }

    @POST
    @Operation(summary = "Run a command: its result when it ends in its yield window, else the task it became")
    @RequestBody(content = @Content(mediaType = JSON, schema = @Schema(implementation = StartCommand.class)))
    @APIResponse(
            responseCode = "200",
            description = "It ended in its window (`completed`), or the same command runs already (`already_running`)",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = AnswerJson.class)))
    @APIResponse(
            responseCode = "202",
            description =
                    "It runs on as a task (`promoted_to_task`), see Location; or a person is asked (`awaiting_approval`)",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = AnswerJson.class)))
    public Response startCommand(@Context RoutingContext http) {
        return Bodies.use(http, body -> start(http, body));
    }

    private Response start(RoutingContext http, byte[] body) {
        StartRequest request = StartCommand.parse(body);
        Launch.Idempotency key = idempotency(http, body);
        Patience patience = new Patience(Waiting.hungUp(http));
        CommandAnswer answer = waiting.during(http, patience, () -> commands.start(request, key));
        boolean goesOn =
                answer instanceof CommandAnswer.PromotedToTask || answer instanceof CommandAnswer.AwaitingApproval;
        int status = goesOn ? ACCEPTED : OK;
        Response.ResponseBuilder reply =
                wantsText(http) ? Reply.text(status, Receipts.of(answer)) : Reply.json(status, AnswerJson.of(answer));
        TaskId task = answer.goesOnAs();
        return task == null
                ? reply.build()
                : reply.header("Location", "/v1/tasks/" + task.value()).build();
    }

    @POST
    @Path("/batch")
    @Operation(summary = "Run up to 12 commands one after the other")
    @RequestBody(content = @Content(mediaType = JSON, schema = @Schema(implementation = StartBatch.class)))
    @APIResponse(
            responseCode = "200",
            description = "What became of each item",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = BatchJson.class)))
    public Response runBatch(@Context RoutingContext http) {
        refuseKey(http, "a batch");
        BatchAnswer answer = Bodies.use(http, body -> {
            BatchRequest request = StartBatch.parse(body);
            return waiting.during(http, () -> batches.run(request));
        });
        return wantsText(http) ? Reply.text(OK, BatchJson.receipt(answer)).build() : Reply.json(BatchJson.of(answer));
    }

    /** Taken and ignored, it would let a repetition run everything twice. */
    static void refuseKey(RoutingContext http, String what) {
        if (http.request().getHeader(KEY) != null) {
            throw Refusal.invalid(
                    KEY,
                    "is not for " + what + "; nothing was started",
                    "Start the commands one by one, each with a key: POST /v1/commands.");
        }
    }

    private static boolean wantsText(RoutingContext http) {
        return Accept.of(http.request().getHeader("Accept"), Accept.TEXT) == Accept.TEXT;
    }

    private static Launch.@Nullable Idempotency idempotency(RoutingContext http, byte[] body) {
        List<String> keys = http.request().headers().getAll(KEY);
        if (keys.isEmpty()) {
            return null;
        }
        if (keys.size() > 1) {
            throw Refusal.invalid(
                    KEY, "is there " + keys.size() + " times; nothing was started", "Send it once, with one key.");
        }
        String key = keys.getFirst();
        if (key.isBlank() || key.length() > MAX_KEY) {
            throw Refusal.invalid(
                    KEY,
                    "must have 1 to " + MAX_KEY + " characters",
                    "Send a fresh UUID, the same one for every repetition of this request.");
        }
        return new Launch.Idempotency(key, Sha256.of(body));
    }
}
