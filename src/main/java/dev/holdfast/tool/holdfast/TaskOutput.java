package dev.holdfast.tool.holdfast;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.google.re2j.Pattern;
import dev.holdfast.message.body.Patterns;
import dev.holdfast.message.view.Json;
import dev.holdfast.message.view.SearchJson;
import dev.holdfast.message.view.TaskJson;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.render.Receipts;
import dev.holdfast.render.TaskTexts;
import dev.holdfast.runtime.Answers;
import dev.holdfast.runtime.TaskView;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.output.OutputCursor;
import dev.holdfast.runtime.output.OutputPage;
import dev.holdfast.runtime.output.OutputReads;
import dev.holdfast.runtime.output.OutputSearch;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Preview;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolDescription;
import dev.holdfast.tool.WrittenIds;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Waits for a task's end, or for something new, and answers with its output. */
@Singleton
@ToolDescription(
        profile = Profile.HOLDFAST,
        name = "TaskOutput",
        description =
                "Output of a task, after its end or, until=new_output, once there is more. A time-out is no error.",
        effect = ToolDescription.Effect.READS)
public record TaskOutput(
        Tasks tasks, OutputReads reads, OutputSearch searches, OutputStore outputs, Answers answers, WrittenIds ids)
        implements Tool<TaskOutput.Input> {
    private static final String START = OutputCursor.START.text(null);
    private static final int CONTEXT = 2;
    private static final int MOST_MATCHES = 20;
    /** Bytes of which each stream's half holds a whole character. */
    private static final int ENOUGH_FOR_NEWS = 64;

    /** How long what comes right behind news is waited for: the rest of its line, or of a burst of lines. */
    private static final Duration GATHER = Duration.ofMillis(200);

    /** Whose output, from where, and what is waited for. */
    public record Input(
            @Schema(required = true) @Nullable String taskId,

            @Schema(description = "false: at once") @Nullable
            Boolean block,

            @Schema(minimum = "0", maximum = "600000", defaultValue = "30000") @Nullable
            Integer timeoutMs,

            @Schema(
                    enumeration = {"end", "new_output"},
                    defaultValue = "end")
            @Nullable
            String until,

            @Schema(description = "a next cursor; 0.0: the start, as of new_output; else head and tail") @Nullable
            String cursor,

            @Schema(description = "RE2: only the lines that match, and around") @Nullable
            String pattern,

            @Schema(minimum = "1", maximum = "64000", defaultValue = "8000") @Nullable
            Integer maxOutputTokens) {
        private static final int DEFAULT_TIMEOUT_MS = 30_000;

        private Duration patience() {
            return Boolean.FALSE.equals(block)
                    ? Duration.ZERO
                    : Duration.ofMillis(Objects.requireNonNullElse(timeoutMs, DEFAULT_TIMEOUT_MS));
        }

        private int chars() {
            return Objects.requireNonNullElse(maxOutputTokens, StartRequest.DEFAULT_MAX_OUTPUT_TOKENS)
                    * Diagnostics.CHARS_PER_TOKEN;
        }
    }

    /** Whether what was waited for came true. */
    public enum Retrieval {
        SUCCESS("Task output retrieved"),
        TIMEOUT("Task output wait timed out"),
        NOT_READY("Task output is not ready");

        private final String head;

        Retrieval(String head) {
            this.head = head;
        }
    }

    /** What is told of the task. */
    public record Part(
            String taskId,
            TaskStatus status,
            String summary,
            @Nullable Integer exitStatus,
            @Nullable String exitSignal,
            @Nullable EndedBy endedBy,
            @Nullable String waiting,
            @Nullable String outputPreview,
            boolean outputTruncated,
            String nextCursor,

            @JsonInclude(JsonInclude.Include.NON_NULL) TaskJson.@Nullable EndingDetails details,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            SearchJson search) {}

    /** The answer. */
    public record Result(Retrieval retrievalStatus, Part task) {}

    /**
     * A part of the output, as it is told.
     *
     * @param news whether there is more than where its reader began
     */
    private record Shown(
            @Nullable String text,
            boolean truncated,
            String next,
            boolean news,
            @Nullable SearchJson search) {
        /** Whether its reader has a use for where the next part begins. */
        private boolean goesOn(boolean byCursor, boolean ended) {
            return byCursor ? truncated || !ended : truncated && (!ended || search != null);
        }
    }

    @Override
    public Outcome run(Input input, Call call) {
        TaskId id = ids.of(input.taskId());
        Duration patience = call.wait(input.patience());
        boolean anyNews = "new_output".equals(input.until());
        String from = input.cursor() == null && anyNews ? START : input.cursor();
        Pattern pattern = input.pattern() == null ? null : Patterns.compile("pattern", input.pattern());
        if (from != null) {
            reads.read(id, null, from, 1, Duration.ZERO); // one that is none is told of before anything is waited for
        }
        boolean ended = anyNews ? false : tasks.awaitEnd(id, patience);
        Shown shown = shown(input, pattern, id, from, anyNews ? patience : Duration.ZERO);
        TaskView view = tasks.get(id);
        ended |= view.task().status().ended();
        boolean ready = ended || (anyNews && shown.news());
        Retrieval retrieval = ready
                ? Retrieval.SUCCESS
                : Boolean.FALSE.equals(input.block()) ? Retrieval.NOT_READY : Retrieval.TIMEOUT;
        String text = TaskTexts.output(
                retrieval.head + "\nTask: " + id,
                view.task(),
                Views.seen(view),
                shown.text(),
                shown.goesOn(from != null, ended) ? shown.next() : null);
        return new Outcome(id, retrieval.head + ": " + id, new Result(retrieval, part(view, shown)), text);
    }

    /** @param from null for head and tail */
    private Shown shown(Input input, @Nullable Pattern pattern, TaskId id, @Nullable String from, Duration patience) {
        if (pattern == null) {
            return from == null ? preview(id, input.chars()) : page(id, from, input.chars(), patience);
        }
        var page = reads.read(id, null, from == null ? START : from, ENOUGH_FOR_NEWS, patience);
        boolean news = from != null && page.hasNews();
        return found(id, pattern, cursor(id, page.cursor()), input.chars(), news);
    }

    private OutputCursor cursor(TaskId id, String written) {
        return OutputCursor.parse(null, written, outputs.facts(id));
    }

    /**
     * The first matches from there on, as {@code grep} shows them: with their numbers, no line twice, and a dash
     * between what is not one after the other. As many as fit into {@code chars}, at least one.
     */
    private Shown found(TaskId id, Pattern pattern, OutputCursor from, int chars, boolean news) {
        OutputCursor end = cursor(id, reads.end(id));
        var found = searches.search(
                id, from, new OutputStore.Wanted(pattern, CONTEXT, MOST_MATCHES, false), Patience::isOver);
        StringBuilder text = new StringBuilder();
        int told = 0;
        for (; told < found.matches().size(); told++) {
            String lines = lines(found.matches(), told);
            if (!text.isEmpty() && text.length() + lines.length() > chars) {
                break;
            }
            text.append(lines);
        }
        SearchJson search = SearchJson.of(found.first(told));
        OutputCursor next = OutputSearch.next(found, told, from, end);
        String matches = text.isEmpty()
                ? "(no line matches)"
                : text + (search.more() ? "\n-- more from the next cursor on" : "");
        return new Shown(matches + notSearched(id, from, next), search.more(), next.text(null), news, search);
    }

    /** What between the two is no longer kept: nobody knows what matched there. */
    private String notSearched(TaskId id, OutputCursor from, OutputCursor to) {
        long bytes = 0;
        for (StreamName stream : StreamName.values()) {
            OutputStore.Gap gap = outputs.gap(id, stream);
            if (gap != null) {
                bytes += Math.max(0, Math.min(gap.to(), to.of(stream)) - Math.max(gap.from(), from.of(stream)));
            }
        }
        return bytes == 0 ? "" : "\n… " + bytes + " bytes left out, not searched …";
    }

    /** One match with the lines around it, but for those that the match before shows, or the next one. */
    private static String lines(List<OutputStore.Match> all, int at) {
        OutputStore.Match match = all.get(at);
        int since = at == 0 ? Integer.MAX_VALUE : between(all.get(at - 1), match);
        int shown = at == 0 ? 0 : Math.min(all.get(at - 1).after().size(), since);
        int until = at == all.size() - 1 ? Integer.MAX_VALUE : between(match, all.get(at + 1));
        int before = Math.min(match.before().size(), since - shown);
        String joint = at == 0 ? "" : before == since - shown ? "\n" : "\n--\n";
        String number = match.line() == null ? "" : match.line() + ":";
        return Stream.of(
                        match.before().stream().skip(match.before().size() - before),
                        Stream.of(number + match.text()),
                        match.after().stream().limit(until))
                .flatMap(lines -> lines)
                .collect(Collectors.joining("\n", joint, ""));
    }

    /** How many lines are between two matches; more than any where that is not known. */
    private static int between(OutputStore.Match one, OutputStore.Match next) {
        Long from = one.line();
        Long to = next.line();
        return one.stream() != next.stream() || from == null || to == null
                ? Integer.MAX_VALUE
                : (int) Math.min(to - from - 1, Integer.MAX_VALUE);
    }

    private Shown preview(TaskId id, int chars) {
        String next = reads.end(id);
        Preview preview = answers.preview(tasks.find(id), chars);
        return new Shown(Receipts.initialOutput(preview), preview.truncated(), next, false, null);
    }

    private Shown page(TaskId id, String from, int bytes, Duration patience) {
        OutputPage<String> page = reads.read(id, null, from, bytes, patience);
        if (!patience.isZero() && page.hasNews()) {
            page = reads.collect(id, from, bytes, GATHER);
        }
        boolean more = !page.nextCursor().equals(reads.end(id));
        long dropped =
                page.omitted().stream().mapToLong(gap -> gap.to() - gap.from()).sum();
        String content = (dropped == 0 ? "" : TaskTexts.leftOut(dropped)) + page.content();
        String text = content.isEmpty() ? null : content;
        return new Shown(text, more, page.nextCursor(), text != null, null);
    }

    private static Part part(TaskView view, Shown shown) {
        Task task = view.task();
        Ending ending = task.ending();
        var live = view.live();
        return new Part(
                task.id().value(),
                task.status(),
                Diagnostics.summary(task.command().invocation()),
                ending == null ? null : ending.exitStatus(),
                ending == null ? null : ending.exitSignal(),
                ending == null ? null : ending.endedBy(),
                live == null ? null : Json.name(live.facts().waiting()),
                shown.text(),
                shown.truncated(),
                shown.next(),
                ending == null || ending.details().isEmpty() ? null : TaskJson.EndingDetails.of(ending),
                shown.search());
    }
}
