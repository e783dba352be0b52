package dev.holdfast.tool.mcp;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.fasterxml.jackson.databind.util.RawValue;
import dev.holdfast.message.view.Json;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.call.OpenCalls;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.start.Asker;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolAnswer;
import dev.holdfast.tool.ToolRegistry;
import io.quarkiverse.mcp.server.JsonRpcErrorCodes;
import io.quarkiverse.mcp.server.McpException;
import io.quarkiverse.mcp.server.MetaKey;
import io.quarkiverse.mcp.server.Progress;
import io.quarkiverse.mcp.server.TextContent;
import io.quarkiverse.mcp.server.ToolManager.ToolArguments;
import io.quarkiverse.mcp.server.ToolResponse;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call of a tool over MCP. The tool runs on a virtual thread of its own; the one that asks for the answer tells of
 * progress meanwhile, and ends the tool's waits when the client cancels or hangs up; so does a server that stops. The
 * command behind them goes on.
 */
final class McpCall {
    private static final Duration TELLS = Duration.ofSeconds(5);
    /** How often it is looked whether the client still waits, for the library tells nobody. */
    private static final int LOOK_MILLIS = 100;

    private static final MetaKey RESULT = MetaKey.of("result", "holdfast");

    private final ToolRegistry tools;
    private final Tool<?> tool;
    private final Duration limit;
    private final ToolArguments arguments;
    private final RoutingContext http;
    private final Caller caller;
    private final @Nullable Asker asker;
    private final OpenCalls calls;
    private final Patience patience = new Patience();
    private final long began = System.nanoTime();

    /**
     * @param limit of waits, where the client did not ask for progress
     * @param asker null where nobody can be asked at the client
     */
    McpCall(
            ToolRegistry tools,
            Tool<?> tool,
            Duration limit,
            ToolArguments arguments,
            RoutingContext http,
            Caller caller,
            @Nullable Asker asker,
            OpenCalls calls) {
        this.tools = tools;
        this.tool = tool;
        this.limit = limit;
        this.arguments = arguments;
        this.http = http;
        this.caller = caller;
        this.asker = asker;
        this.calls = calls;
    }

    /** Blocks until the tool has answered. */
    ToolResponse answer() {
        Progress progress = arguments.progress();
        boolean tells = progress.token().isPresent();
        Call call = new Call(tells ? Call.NO_LIMIT : limit);
        var answer = new CompletableFuture<ToolAnswer>();
        byte[] input = input();
        requireByProtocol(input);
        OpenCalls.Open open = calls.begin(patience::end);
        http.addEndHandler(answered -> open.close());
        Supplier<ToolAnswer> work = caller.carrying(() -> patience.during(() -> tools.call(tool, input, call)));
        Thread.ofVirtual().name("mcp-" + tool.name()).start(() -> {
            try {
                answer.complete(asker == null ? work.get() : asker.during(work));
            } catch (Throwable failure) {
                answer.completeExceptionally(failure);
            }
        });
        ToolAnswer came = await(answer, tells ? new Teller(progress) : () -> {});
        boolean cut = call.shortened() && passed().compareTo(limit) >= 0 && !came.failed();
        return response(came, cut ? came.text() + "\n\n" + CutWait.told(tool, limit) : came.text());
    }

    /** In the designs where a missing field is no result of the tool's. */
    private void requireByProtocol(byte[] input) {
        if (tool.requiredByProtocol() && tool.description().inputSchema().get("required") instanceof List<?> required) {
            JsonObject given = new JsonObject(Buffer.buffer(input));
            for (Object name : required) {
                if (!given.containsKey(name.toString())) {
                    throw new McpException("`" + name + "` is missing", JsonRpcErrorCodes.INVALID_PARAMS);
                }
            }
        }
    }

    private byte[] input() {
        String written =
                arguments.rawMessage().asJsonObject().getJsonObject("params").getString(McpTools.INPUT);
        return written.getBytes(StandardCharsets.UTF_8);
    }

    private ToolAnswer await(CompletableFuture<ToolAnswer> answer, Runnable meanwhile) {
        while (true) {
            try {
                return answer.get(LOOK_MILLIS, MILLISECONDS);
            } catch (TimeoutException notYet) {
                if (arguments.cancellation().check().isRequested()
                        || http.response().closed()) {
                    patience.end();
                } else {
                    meanwhile.run();
                }
            } catch (InterruptedException serverStops) {
                throw new IllegalStateException("the server stops", serverStops);
            } catch (ExecutionException failure) {
                throw new IllegalStateException(failure.getCause());
            }
        }
    }

    private Duration passed() {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    /**
     * Claude Code (2.1.100) and Codex (since its pull request 2594) give a model the structured content in place of the
     * text: only the tools whose design has it do. The others' is where clients look and models do not.
     */
    private ToolResponse response(ToolAnswer answer, String text) {
        Object forPrograms = answer.result() == null ? answer.error() : answer.result();
        RawValue json = new RawValue(Json.text(forPrograms == null ? Map.of() : forPrograms));
        boolean structured = tool.profile() == Profile.CLASSIC;
        return new ToolResponse(
                answer.failed(),
                List.of(new TextContent(text)),
                structured ? json : null,
                structured ? null : Map.of(RESULT, json));
    }

    /** Tells the client every 5 seconds that its call goes on. */
    private final class Teller implements Runnable {
        private final Progress progress;
        private Duration next = TELLS;

        Teller(Progress progress) {
            this.progress = progress;
        }

        @Override
        public void run() {
            if (passed().compareTo(next) >= 0) {
                long seconds = next.toSeconds();
                next = next.plus(TELLS);
                progress.notificationBuilder()
                        .setProgress(seconds)
                        .setMessage(tool.activity(seconds))
                        .build()
                        .sendAndForget();
            }
        }
    }
}
