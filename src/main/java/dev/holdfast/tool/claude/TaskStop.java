package dev.holdfast.tool.claude;

import dev.holdfast.message.body.TaskBodies;
import dev.holdfast.message.view.Json;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.control.TaskControl;
import dev.holdfast.task.Task;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolDescription;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Ends a background shell and everything that it started. */
@Singleton
@ToolDescription(
        profile = Profile.CLAUDE,
        name = "TaskStop",
        description = "Stop a command in the background and everything it started; answers when all of it is gone.",
        effect = ToolDescription.Effect.STOPS)
public record TaskStop(Tasks tasks, TaskControl control, Shells shells) implements Tool<TaskStop.Input> {
    /** Which one; the second is its former name. */
    public record Input(
            @Nullable String taskId,
            @Schema(description = "use task_id") @Nullable String shellId) {}

    /** The answer; the model reads it as JSON. */
    public record Result(String message, String taskId, String taskType, String command) {}

    @Override
    public Outcome run(Input input, Call call) {
        Task task = shells.find(input.taskId() == null ? input.shellId() : input.taskId());
        TaskBodies.StopTask stop = new TaskBodies.StopTask(null, null);
        TaskControl.StopOutcome outcome = control.stop(task.id(), stop.grace(), false, call.most());
        if (!outcome.stopRequested() && !outcome.goesOn() && outcome.leftovers().isEmpty()) {
            String status = Shells.status(tasks.find(task.id()).status());
            throw new Refusal(
                    ErrorKind.TASK_NOT_RUNNING,
                    "Task " + task.id() + " is not running (status: " + status + ")",
                    "Its output is still there: TaskOutput.");
        }
        String command = Diagnostics.summary(task.command().invocation());
        String message = done(outcome) + ": " + task.id() + " (" + command + ")";
        Result result = new Result(message, task.id().value(), Shells.TYPE, command);
        return new Outcome(task.id(), message, result, Json.text(result));
    }

    private static String done(TaskControl.StopOutcome outcome) {
        if (!outcome.survivors().isEmpty()) {
            return "Killed task, and not all of it has ended (still alive: " + outcome.survivors() + ")";
        }
        return outcome.goesOn() ? "Task is being stopped" : "Successfully stopped task";
    }
}
