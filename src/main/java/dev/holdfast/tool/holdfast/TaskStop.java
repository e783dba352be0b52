package dev.holdfast.tool.holdfast;

import dev.holdfast.message.body.TaskBodies;
import dev.holdfast.message.view.TaskJson;
import dev.holdfast.render.TaskTexts;
import dev.holdfast.runtime.control.TaskControl;
import dev.holdfast.task.Task;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolDescription;
import dev.holdfast.tool.WrittenIds;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Ends a task and everything that it started. */
@Singleton
@ToolDescription(
        profile = Profile.HOLDFAST,
        name = "TaskStop",
        description = "Stop a task and all it started; answers when that is gone.",
        effect = ToolDescription.Effect.STOPS)
public record TaskStop(TaskControl control, WrittenIds ids) implements Tool<TaskStop.Input> {
    /** As the body of {@code POST /v1/tasks/{id}/stop}, with the task. */
    public record Input(
            @Schema(required = true) @Nullable String taskId,

            @Schema(minimum = "0", maximum = "60000", defaultValue = "5000") @Nullable
            Integer graceMs,

            @Schema(description = "KILL at once") @Nullable Boolean force) {}

    @Override
    public Outcome run(Input input, Call call) {
        var stop = new TaskBodies.StopTask(input.graceMs(), input.force());
        TaskControl.StopOutcome outcome =
                control.stop(ids.of(input.taskId()), stop.grace(), stop.forced(), call.most());
        Task task = outcome.task().task();
        String text = text(outcome, TaskTexts.status(task, Views.seen(outcome.task())));
        return new Outcome(task.id(), text.lines().findFirst().orElse(text), TaskJson.stopped(outcome), text);
    }

    private static String text(TaskControl.StopOutcome outcome, String status) {
        boolean goesOn = outcome.goesOn();
        String stopped = goesOn
                ? "Task is being stopped, also when nobody waits: TaskOutput tells its end"
                : outcome.survivors().isEmpty() ? "Task stopped" : "Task killed, and not all of it has ended";
        String before = "Task had ended before"
                + (goesOn ? "; what it left running is being stopped, also when nobody waits" : "");
        String head = outcome.stopRequested() ? stopped : before;
        String ended = outcome.leftovers().isEmpty() ? "" : "\nEnded what it had left running: " + outcome.leftovers();
        String text = head + "\nStatus: " + status + ended;
        return outcome.survivors().isEmpty() ? text : text + "\nStill alive: " + outcome.survivors();
    }
}
