package dev.holdfast.api;

import static dev.holdfast.api.Reply.JSON;

import dev.holdfast.message.body.CheckCommand;
import dev.holdfast.policy.Action;
import dev.holdfast.policy.Action.On;
import dev.holdfast.policy.Policy;
import dev.holdfast.policy.Remembered;
import dev.holdfast.policy.Verdict;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.start.Launches;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.runtime.start.StartRequest.What;
import dev.holdfast.runtime.start.Walls;
import dev.holdfast.task.Sandbox;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Tells what the policy says of a command, and starts nothing. */
@Path("/v1/policy")
@RunOnVirtualThread
@Tag(name = "Policy")
public final class PolicyResource {
    private final Caller caller;
    private final Policy policy;
    private final Remembered remembered;
    private final Launches launches;
    private final Walls walls;

    public PolicyResource(Caller caller, Policy policy, Remembered remembered, Launches launches, Walls walls) {
        this.caller = caller;
        this.policy = policy;
        this.remembered = remembered;
        this.launches = launches;
        this.walls = walls;
    }

    @POST
    @Path("check")
    @Operation(summary = "Tell what the policy says of a command, and which of its words decide; start nothing")
    @RequestBody(content = @Content(mediaType = JSON, schema = @Schema(implementation = CheckCommand.class)))
    @APIResponse(
            responseCode = "200",
            description = "What it says; a denial is an ordinary answer",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = Verdict.class)))
    public Response checkPolicy(@Context RoutingContext http) {
        return Reply.json(Bodies.use(http, body -> shown(CheckCommand.parse(body))));
    }

    private Verdict shown(CheckCommand check) {
        Verdict verdict = verdict(action(check));
        UnaryOperator<List<String>> masked =
                Diagnostics.maskedAsIn(check.request().invocation());
        return new Verdict(
                verdict.decision(),
                verdict.rule(),
                verdict.reason(),
                masked.apply(verdict.words()),
                verdict.classes(),
                verdict.mode(),
                verdict.commands().stream()
                        .map(command -> new Verdict.Command(
                                masked.apply(command.words()), command.classes(), command.decision(), command.rule()))
                        .toList(),
                verdict.sandbox());
    }

    /** With what a person allowed for longer. */
    private Verdict verdict(Action action) {
        Verdict verdict = policy.decide(action);
        Sandbox least = Sandbox.stricter(action.actor().sandbox(), verdict.sandbox());
        return remembered.settled(action, verdict, () -> walls.standard(least));
    }

    private Action action(CheckCommand check) {
        StartRequest request = check.request();
        On on = On.valueOf(check.action().toUpperCase(Locale.ROOT));
        java.nio.file.Path workdir = launches.workdir(request.workdir());
        Actor actor = caller.actor();
        Set<String> env = request.env().keySet();
        Map<String, String> labels = actor.labelled(request.labels());
        Action action = switch (request.what()) {
            case What.ShellText text -> Action.ofText(text.cmd(), workdir, env, labels, actor, on);
            case What.Program program -> Action.ofArguments(program.argv(), workdir, env, labels, actor, on);
        };
        return action.withValues(request.env());
    }
}
