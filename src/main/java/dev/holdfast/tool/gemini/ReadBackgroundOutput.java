package dev.holdfast.tool.gemini;

import com.google.re2j.Pattern;
import dev.holdfast.render.Receipts;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.UnknownTasks;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.output.OutputCursor;
import dev.holdfast.runtime.output.OutputPage;
import dev.holdfast.runtime.output.OutputReads;
import dev.holdfast.runtime.output.OutputSearch;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Requests;
import dev.holdfast.tool.Running;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolDescription;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The last lines that a command in the background printed. */
@Singleton
@ToolDescription(
        profile = Profile.GEMINI,
        name = "read_background_output",
        description =
                "The last lines that a command in the background printed, also after its end. With delay_ms it waits first, "
                        + "or until it ends.",
        effect = ToolDescription.Effect.READS)
public record ReadBackgroundOutput(
        Tasks tasks, OutputReads reads, OutputSearch searches, Running running, Pids pids, UnknownTasks unknown)
        implements Tool<ReadBackgroundOutput.Input> {
    /** What is looked at: so many bytes at the end of each stream. */
    private static final int TAIL_BYTES = 64 * 1024;

    private static final int DEFAULT_LINES = 100;
    private static final Pattern ANY = Pattern.compile("^");

    /** Whose, and how many lines. */
    public record Input(
            @Schema(required = true, minimum = "1", maximum = "4194304") @Nullable
            Long pid,

            @Schema(minimum = "1", maximum = "2147483647", defaultValue = "100") @Nullable
            Integer lines,

            @Schema(minimum = "0", maximum = "600000") @Nullable
            Integer delayMs) {}

    /** What was read; {@code lines} is how many there are, null where that was dropped which nobody counted. */
    public record Result(long pid, @Nullable Long lines, String output) {}

    /**
     * The end of a stream.
     *
     * @param lines whole ones, but for a single one that is longer than what is looked at
     * @param all how many the stream has, null where nobody knows
     */
    private record Tail(List<String> lines, @Nullable Long all) {
        /** Of both streams, the last so many lines: each has half of them, and what the other does not need. */
        static Tail of(Tail out, Tail err, int wanted) {
            int half = (wanted + 1) / 2;
            int fromOut = Math.max(half, wanted - err.lines.size());
            List<String> shown = out.last(fromOut);
            return new Tail(
                    Stream.concat(shown.stream(), err.last(wanted - shown.size()).stream())
                            .toList(),
                    out.all == null || err.all == null ? null : Long.valueOf(out.all + err.all));
        }

        private List<String> last(int wanted) {
            return lines.subList(Math.max(0, lines.size() - wanted), lines.size());
        }
    }

    @Override
    public Outcome run(Input input, Call call) {
        long pid = Requests.needed("pid", input.pid());
        TaskId id = pids.task(pid).orElseThrow(() -> unknown(pid)).id();
        tasks.awaitEnd(id, call.wait(Duration.ofMillis(Objects.requireNonNullElse(input.delayMs(), 0))));
        int wanted = Objects.requireNonNullElse(input.lines(), DEFAULT_LINES);
        Tail tail = Tail.of(tail(id, StreamName.STDOUT), tail(id, StreamName.STDERR), wanted);
        List<String> shown = tail.lines();
        String output = String.join("\n", shown);
        String log = shown.isEmpty() ? "Log is empty." : head(shown.size(), tail.all()) + output;
        Task task = tasks.find(id);
        String text = Stream.of(Optional.of(log), Receipts.causeWithoutTask(task.ending()), Pids.left(tasks.left(task)))
                .flatMap(Optional::stream)
                .collect(Collectors.joining("\n"));
        return new Outcome(id, shown.size() + " lines of PID " + pid, new Result(pid, tail.all(), output), text);
    }

    private static String head(int shown, @Nullable Long all) {
        if (all == null) {
            return "Showing last " + shown + " lines:\n";
        }
        return shown < all ? "Showing last " + shown + " of " + all + " lines:\n" : "Full Log Output:\n";
    }

    /** Without the line that it begins in the midst of. */
    private Tail tail(TaskId id, StreamName stream) {
        OutputPage<String> page = reads.read(id, stream, "-" + TAIL_BYTES, TAIL_BYTES, Duration.ZERO);
        List<String> lines = page.content().lines().toList();
        if (page.cursor().equals(OutputCursor.START.text(stream))) {
            return new Tail(lines, (long) lines.size());
        }
        return new Tail(lines.size() > 1 ? lines.subList(1, lines.size()) : lines, lastLine(id, stream));
    }

    /** Its number, which is how many there are. */
    private @Nullable Long lastLine(TaskId id, StreamName stream) {
        var found = searches.search(id, stream, new OutputStore.Wanted(ANY, 0, 1, true), Patience::isOver);
        return found.matches().isEmpty() ? null : found.matches().getFirst().line();
    }

    private Refusal unknown(long pid) {
        String running = this.running.named(task ->
                pids.of(task.id()).stream().mapToObj(Long::toString).findFirst().orElse("no pid"));
        return unknown.completed(new Refusal(
                ErrorKind.TASK_NOT_FOUND,
                "Background process ID " + pid + " was not found.",
                running + " Ended ones are forgotten after a while, with their output."));
    }
}
