package dev.holdfast.tool.holdfast;

import dev.holdfast.message.view.ScreenJson;
import dev.holdfast.runtime.control.Terminals;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalScreen;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolDescription;
import dev.holdfast.tool.WrittenIds;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** What a person would see of a task's terminal. */
@Singleton
@ToolDescription(
        profile = Profile.HOLDFAST,
        name = "TaskScreen",
        description = "The screen of a task with tty.",
        effect = ToolDescription.Effect.READS)
public record TaskScreen(Terminals terminals, WrittenIds ids) implements Tool<TaskScreen.Input> {
    /** Whose. */
    public record Input(@Schema(required = true) @Nullable String taskId) {}

    @Override
    public Outcome run(Input input, Call call) {
        TaskId id = ids.of(input.taskId());
        TerminalScreen screen = terminals.screen(id);
        String text = String.join("\n", screen.lines()).stripTrailing();
        return new Outcome(
                id, "The screen of " + id, ScreenJson.of(screen), text.isEmpty() ? "(the screen is empty)" : text);
    }
}
