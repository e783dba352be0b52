package dev.holdfast.tool.holdfast;

import dev.holdfast.message.view.TaskJson;
import dev.holdfast.render.TaskTexts;
import dev.holdfast.runtime.TaskView;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolDescription;
import dev.holdfast.tool.WrittenIds;
import jakarta.inject.Singleton;
import java.time.InstantSource;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** One task as it stands. */
@Singleton
@ToolDescription(
        profile = Profile.HOLDFAST,
        name = "TaskStatus",
        description = "Whether a task runs, waits for input or how it ended; its ports.",
        effect = ToolDescription.Effect.READS)
public record TaskStatus(Tasks tasks, WrittenIds ids, InstantSource clock) implements Tool<TaskStatus.Input> {
    /** Which one. */
    public record Input(@Schema(required = true) @Nullable String taskId) {}

    @Override
    public Outcome run(Input input, Call call) {
        TaskView view = tasks.get(ids.of(input.taskId()));
        String text = TaskTexts.status(
                view.task(),
                Views.seen(view),
                view.output().stdoutBytes(),
                view.output().stderrBytes(),
                clock.instant());
        String summary = view.task().id() + " " + TaskTexts.status(view.task(), Views.seen(view));
        return new Outcome(view.task().id(), summary, TaskJson.of(view), text);
    }
}
