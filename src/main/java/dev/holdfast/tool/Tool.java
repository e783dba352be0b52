package dev.holdfast.tool;

import dev.holdfast.render.Receipts;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.task.TaskId;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A tool as a model meets it. Its schema is made from the record that its input is read into, so that what is described
 * is what is taken.
 *
 * @param <I> the input: null where a field is absent
 */
public interface Tool<I extends Record> {
    /** What a client is told of a tool, MCP's annotations among it. */
    @Schema(name = "Tool", description = "A tool, as a model is told of it")
    record Description(String name, String description, Map<String, Object> inputSchema, Hints annotations) {}

    /** What a client may want to know before it lets a model call. */
    @Schema(name = "ToolHints", description = "What it may do")
    record Hints(boolean destructiveHint, boolean readOnlyHint, boolean idempotentHint, boolean openWorldHint) {}

    /**
     * What came of a call.
     *
     * @param task the one that it is about, null for none or several
     * @param summary in one line
     * @param result a record or a map, as JSON for programs
     * @param text what the model reads
     * @param failure why it is an error of the tool nevertheless, null for a success
     */
    record Outcome(
            @Nullable TaskId task,
            String summary,
            Object result,
            String text,
            @Nullable Refusal failure) {
        public Outcome(@Nullable TaskId task, String summary, Object result, String text) {
            this(task, summary, result, text, null);
        }
    }

    /**
     * Blocks, no longer than {@code call} allows, nor than its caller waits (dev.holdfast.runtime.call.Patience).
     *
     * @throws Refusal an error that the model is told
     */
    Outcome run(I input, Call call);

    /** What the model reads of an error, as its design has it. */
    default String told(Refusal refusal) {
        String message = refusal.getMessage();
        String hint = refusal.recoveryHint();
        return switch (profile()) {
            case HOLDFAST, CLASSIC -> Receipts.failure(message, hint, refusal.details());
            case CODEX -> name() + " failed: " + message + "\n" + hint;
            case CLAUDE -> "<tool_use_error>" + message + "</tool_use_error>\n" + hint;
            case GEMINI -> message + "\n" + hint;
        };
    }

    /** What a person is told while it runs, after so many seconds. */
    default String activity(long seconds) {
        return "waiting for " + seconds + " s";
    }

    /** Whether a call without a required field is an error of the protocol (-32602 over MCP), not of the tool. */
    default boolean requiredByProtocol() {
        return false;
    }

    default Profile profile() {
        return Described.of(this).profile();
    }

    default String name() {
        return description().name();
    }

    default Description description() {
        return Described.of(this).description();
    }

    @SuppressWarnings("unchecked") // as the class of the tool says
    default Class<I> input() {
        return (Class<I>) Described.of(this).input();
    }
}
