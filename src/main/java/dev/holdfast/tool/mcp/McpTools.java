package dev.holdfast.tool.mcp;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.call.OpenCalls;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.start.Asker;
import dev.holdfast.runtime.start.Decisions;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolRegistry;
import io.quarkiverse.mcp.server.McpServer;
import io.quarkiverse.mcp.server.ToolManager;
import io.quarkiverse.mcp.server.ToolManager.ToolAnnotations;
import io.quarkiverse.mcp.server.ToolManager.ToolArguments;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.core.json.JsonObject;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Registers each tool with the server of its profile; the profiles' servers are in {@code application.properties}. Our
 * own profile is the library's default server.
 */
@Singleton
public record McpTools(
        ToolRegistry tools,
        ToolManager manager,
        CurrentVertxRequest request,
        Caller caller,
        Decisions decisions,
        OpenCalls calls,
        HoldfastConfig config) {
    /**
     * The name in {@code params} under which a call's input comes, as text: {@code arguments} the library takes apart
     * itself, and does not take a null in them.
     */
    public static final String INPUT = "input";
    /** The name of what a person who is asked says. */
    public static final String DECISION = "decision";

    void register(@Observes StartupEvent start) {
        for (Profile profile : Profile.values()) {
            tools.of(profile).forEach(this::register);
        }
    }

    private void register(Tool<?> tool) {
        Tool.Description told = tool.description();
        Tool.Hints hints = told.annotations();
        manager.newTool(told.name().replace('.', '_'))
                .setServerName(
                        tool.profile() == Profile.HOLDFAST
                                ? McpServer.DEFAULT
                                : tool.profile().toString())
                .setDescription(told.description())
                .setInputSchema(new JsonObject(told.inputSchema()))
                .setAnnotations(new ToolAnnotations(
                        null,
                        hints.readOnlyHint(),
                        hints.destructiveHint(),
                        hints.idempotentHint(),
                        hints.openWorldHint()))
                .setHandler(arguments -> call(tool, arguments).answer(), true)
                .register();
    }

    private McpCall call(Tool<?> tool, ToolArguments arguments) {
        return new McpCall(
                this, tool, arguments, request.getCurrent(), asker(arguments), new Patience(), System.nanoTime());
    }

    /** How long a call may wait whose client did not ask for progress. */
    Duration limit() {
        return config.mcp().longestWait();
    }

    /** Nobody at the client of an agent, which must not answer for the operator. */
    private @Nullable Asker asker(ToolArguments arguments) {
        Actor actor = caller.actor();
        boolean can = arguments.elicitation().isFormModeSupported() && actor.role() == Role.OPERATOR;
        return can ? new McpAsker(arguments.elicitation(), decisions, actor, limit()) : null;
    }
}
