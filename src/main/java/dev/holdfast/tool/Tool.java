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
public abstract class Tool<I extends Record> {
    private final Profile profile;
    private final Class<I> input;
    private final Description description;

    /** @param description when to take it, what comes back, what to do next; a model pays for each word */
    protected Tool(Profile profile, String name, String description, Class<I> input, Hints hints) {
        this(profile, new Description(name, description, Schemas.of(input, null), hints), input);
    }

    /** @param notes what fields of an input that REST takes too mean, in fewer words, by their names */
    protected Tool(
            Profile profile, String name, String description, Class<I> input, Map<String, String> notes, Hints hints) {
        this(profile, new Description(name, description, Schemas.of(input, notes), hints), input);
    }

    private Tool(Profile profile, Description description, Class<I> input) {
        this.profile = profile;
        this.input = input;
        this.description = description;
    }

    /** What a client is told of a tool, MCP's annotations among it. */
    @Schema(name = "Tool", description = "A tool, as a model is told of it")
    public record Description(String name, String description, Map<String, Object> inputSchema, Hints annotations) {}

    /** What a client may want to know before it lets a model call. */
    @Schema(name = "ToolHints", description = "What it may do")
    public record Hints(boolean destructiveHint, boolean readOnlyHint, boolean idempotentHint, boolean openWorldHint) {
        /** It looks, and changes nothing. */
        public static final Hints READS = new Hints(false, true, true, false);
        /** It may do anything that a shell can. */
        public static final Hints RUNS = new Hints(true, false, false, true);
    }

    /**
     * What came of a call.
     *
     * @param task the one that it is about, null for none or several
     * @param summary in one line
     * @param result a record or a map, as JSON for programs
     * @param text what the model reads
     * @param failure why it is an error of the tool nevertheless, null for a success
     */
    public record Outcome(
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
    protected abstract Outcome run(I input, Call call);

    /** What the model reads of an error. */
    protected String told(Refusal refusal) {
        return Receipts.failure(refusal.getMessage(), refusal.recoveryHint(), refusal.details());
    }

    /** What a person is told while it runs, after so many seconds. */
    public String activity(long seconds) {
        return "waiting for " + seconds + " s";
    }

    /** Whether a call without a required field is an error of the protocol (-32602 over MCP), not of the tool. */
    public boolean requiredByProtocol() {
        return false;
    }

    public final Profile profile() {
        return profile;
    }

    public final Class<I> input() {
        return input;
    }

    public final Description description() {
        return description;
    }

    public final String name() {
        return description.name();
    }
}
