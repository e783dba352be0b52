package dev.holdfast.tool.mcp;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.fasterxml.jackson.databind.util.RawValue;
import dev.holdfast.message.view.AnswerJson;
import dev.holdfast.message.view.Json;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.start.Asker;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolAnswer;
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
 *
 * @param asker null where nobody can be asked at the client
 * @param began as {@code System.nanoTime} has it
 */
record McpCall(
        McpTools mcp,
        Tool<?> tool,
        ToolArguments arguments,
        RoutingContext http,
        @Nullable Asker asker,
        Patience patience,
        long began) {
    private static final Duration TELLS = Duration.ofSeconds(5);
    /** How often it is looked whether the client still waits, for the library tells nobody. */
    private static final int LOOK_MILLIS = 100;

    private static final MetaKey RESULT = MetaKey.of("result", "holdfast");

    /** Blocks until the tool has answered. */
    ToolResponse answer() {
        Progress progress = arguments.progress();
        boolean tells = progress.token().isPresent();
        Call call = new Call(tells ? Call.NO_LIMIT : mcp.limit());
        var answer = new CompletableFuture<ToolAnswer>();
        byte[] input = input();
        requireByProtocol(input);
        var open = mcp.calls().begin(patience::end);
        http.addEndHandler(answered -> open.close());
        Supplier<ToolAnswer> work =
                mcp.caller().carrying(() -> patience.during(() -> mcp.tools().call(tool, input, call)));
        Thread.ofVirtual().name("mcp-" + tool.name()).start(() -> {
            try {
                answer.complete(asker == null ? work.get() : asker.during(work));
            } catch (Throwable failure) {
                answer.completeExceptionally(failure);
            }
        });
        ToolAnswer came = await(answer, tells ? new Teller(progress) : () -> {});
        boolean tellsWhatNext = came.failed() || came.result() instanceof AnswerJson.AwaitingApproval;
        boolean cut = call.shortened() && passed().compareTo(mcp.limit()) >= 0 && !tellsWhatNext;
        return response(came, cut ? came.text() + "\n\n" + cutWait() : came.text());
    }

    /** What a model is told when its wait was cut, since its client would have given up. */
    private String cutWait() {
        return "The wait was cut at " + mcp.limit().toSeconds() + " s, as long as a call over MCP waits. "
                + (tool.name().equals("ExecCommandBatch")
                        ? "What ran then goes on as the task that it names, the rest was skipped: send that again as a batch of"
                                + " its own, or let your client ask for progress, for then no wait is cut."
                        : "The command goes on" + next(tool.profile()));
    }

    /** The classic designs have nothing to wait on with. */
    private static String next(Profile profile) {
        return switch (profile) {
            case HOLDFAST, CLAUDE -> ": call TaskOutput to wait on.";
            case CODEX -> ": call write_stdin to wait on.";
            case GEMINI -> ": call read_background_output to wait on.";
            case CLASSIC ->
                ". Read on in the file that it writes to (where a wall hides it from commands, with a file tool of your own);"
                        + " the same call again would start it once more.";
        };
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
