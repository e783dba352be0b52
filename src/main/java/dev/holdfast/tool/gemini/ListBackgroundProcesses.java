package dev.holdfast.tool.gemini;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.render.Receipts;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.TaskStore.StatusFilter;
import dev.holdfast.task.Ending;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.Task;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Running;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolDescription;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What runs, and what ended lately. */
@Singleton
@ToolDescription(
        profile = Profile.GEMINI,
        name = "list_background_processes",
        description = "List the commands in the background, running ones first, and how those that ended lately did.",
        effect = ToolDescription.Effect.READS)
public record ListBackgroundProcesses(Tasks tasks, Running running, Pids pids)
        implements Tool<ListBackgroundProcesses.Input> {
    private static final int MOST_RUNNING = 100;
    private static final int MOST_ENDED = 20;

    /** Nothing. */
    public record Input() {}

    /** One of them. */
    public record Line(
            long pid,
            String status,
            String command,
            @Nullable Integer exitCode,
            @Nullable String signal,
            @JsonIgnore List<LeftProcess> left) {
        private String text() {
            boolean unseen = exitCode == null && signal == null && !status.equals("running");
            return "- [PID " + pid + "] " + status.toUpperCase(java.util.Locale.ROOT) + ": `" + command + "`"
                    + (exitCode == null ? "" : " (Exit Code: " + exitCode + ")")
                    + (signal == null ? "" : " (Signal: " + signal + ")")
                    + (unseen ? " (Exit Code: unknown)" : "")
                    + Pids.left(left).map(pids -> " (" + pids + ")").orElse("");
        }
    }

    /** All of them. */
    public record Result(List<Line> processes) {}

    @Override
    public Outcome run(Input input, Call call) {
        List<Line> lines = Stream.concat(
                        running.newest(StatusFilter.ACTIVE, MOST_RUNNING).stream(),
                        running.newest(StatusFilter.ENDED, MOST_ENDED).stream())
                .flatMap(this::line)
                .toList();
        String text = lines.isEmpty()
                ? "No background processes found."
                : lines.stream().map(Line::text).collect(Collectors.joining("\n"));
        return new Outcome(null, lines.size() + " processes", new Result(lines), text);
    }

    private Stream<Line> line(Task task) {
        Ending ending = task.ending();
        String command = Diagnostics.summary(task.command().invocation());
        return (ending == null ? pids.soon(task.id()) : pids.of(task.id()))
                .stream()
                        .mapToObj(pid -> new Line(
                                pid,
                                ending == null ? "running" : "exited",
                                command,
                                ending == null ? null : ending.exitStatus(),
                                ending == null ? null : ending.exitSignal(),
                                tasks.left(task)));
    }

    /** It runs no command of that design's, and so says it as our own tools do. */
    @Override
    public String told(Refusal refusal) {
        return Receipts.failure(refusal.getMessage(), refusal.recoveryHint(), refusal.details());
    }
}
