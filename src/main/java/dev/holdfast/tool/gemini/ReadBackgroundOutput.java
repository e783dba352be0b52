package dev.holdfast.tool.gemini;

import dev.holdfast.render.Receipts;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.UnknownTasks;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.output.OutputPage;
import dev.holdfast.runtime.output.OutputReads;
import dev.holdfast.task.TaskId;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Requests;
import dev.holdfast.tool.Running;
import dev.holdfast.tool.Tool;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The last lines that a command in the background printed. */
@Singleton
public final class ReadBackgroundOutput extends Tool<ReadBackgroundOutput.Input> {
    /** What is looked at: so many bytes at the end of each stream. */
    private static final int TAIL_BYTES = 64 * 1024;

    private final Tasks tasks;
    private final OutputReads reads;
    private final Running running;
    private final Pids pids;
    private final UnknownTasks unknown;

    @Inject
    public ReadBackgroundOutput(Tasks tasks, OutputReads reads, Running running, Pids pids, UnknownTasks unknown) {
        super(
                Profile.GEMINI,
                "read_background_output",
                "The last lines that a command in the background printed, also after its end. With delay_ms it waits first, "
                        + "or until it ends.",
                Input.class,
                Hints.READS);
        this.tasks = tasks;
        this.reads = reads;
        this.running = running;
        this.pids = pids;
        this.unknown = unknown;
    }

    /** Whose, and how many lines. */
    public record Input(
            @Schema(required = true, minimum = "1", maximum = "4194304") @Nullable
            Long pid,

            @Schema(minimum = "1", maximum = "2147483647", defaultValue = "100") @Nullable
            Integer lines,

            @Schema(minimum = "0", maximum = "600000") @Nullable
            Integer delayMs) {
        private static final int DEFAULT_LINES = 100;

        private int wanted() {
            return Objects.requireNonNullElse(lines, DEFAULT_LINES);
        }
    }

    /** What was read; {@code lines} is how many there are at the end of the output. */
    public record Result(long pid, int lines, String output) {}

    @Override
    protected Outcome run(Input input, Call call) {
        if (input.pid() == null) {
            throw Requests.missing("pid");
        }
        long pid = input.pid();
        TaskId id = pids.task(pid).orElseThrow(() -> unknown(pid)).id();
        tasks.awaitEnd(id, call.wait(Duration.ofMillis(Objects.requireNonNullElse(input.delayMs(), 0))));
        List<String> lines = tail(id);
        List<String> shown = lines.subList(Math.max(0, lines.size() - input.wanted()), lines.size());
        String output = String.join("\n", shown);
        String head = shown.size() < lines.size()
                ? "Showing last " + shown.size() + " of " + lines.size() + " lines:\n"
                : "Full Log Output:\n";
        String log = lines.isEmpty() ? "Log is empty." : head + output;
        String text = Receipts.heldByProcess(tasks.find(id).ending())
                .map(held -> log + "\n" + held)
                .orElse(log);
        return new Outcome(id, shown.size() + " lines of PID " + pid, new Result(pid, lines.size(), output), text);
    }

    /** Without the line that the tail begins in the midst of. */
    private List<String> tail(TaskId id) {
        OutputPage<String> page = reads.read(id, null, "-" + TAIL_BYTES, 2 * TAIL_BYTES, Duration.ZERO);
        List<String> lines = page.content().lines().toList();
        return page.cursor().startsWith("0.") || lines.isEmpty() ? lines : lines.subList(1, lines.size());
    }

    private Refusal unknown(long pid) {
        String running = this.running.named(task ->
                pids.of(task.id()).stream().mapToObj(Long::toString).findFirst().orElse("no pid"));
        return unknown.completed(
                new Refusal(ErrorKind.TASK_NOT_FOUND, "Background process ID " + pid + " was not found.", running));
    }

    @Override
    protected String told(Refusal refusal) {
        return refusal.getMessage() + "\n" + refusal.recoveryHint();
    }
}
