package dev.holdfast.tool.holdfast;

import dev.holdfast.message.body.StartCommand;
import dev.holdfast.message.view.AnswerJson;
import dev.holdfast.render.Receipts;
import dev.holdfast.runtime.Answers;
import dev.holdfast.runtime.start.Commands;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.TaskId;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolDescription;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** Runs a command, which becomes a task when its window closes first. */
@Singleton
@ToolDescription(
        profile = Profile.HOLDFAST,
        name = "ExecCommand",
        description =
                "Run a shell command; answers with output and exit code. Still running after yield_time_ms, it becomes a "
                        + "task and runs on: never add & or nohup. For a server set yield_when.port_open. Then "
                        + "TaskOutput, TaskInput, Wait, TaskStop. What runs already is not started twice.",
        notes = {"argv: no shell", "yield_when: answer early when one holds", "output_matches: RE2"},
        effect = ToolDescription.Effect.RUNS)
public record ExecCommand(Commands commands) implements Tool<StartCommand> {
    @Override
    public Outcome run(StartCommand input, Call call) {
        StartRequest request = input.request();
        CommandAnswer answer = commands.start(request.within(call.wait(request.yieldTime())), null);
        return new Outcome(
                task(answer),
                Receipts.summaryText(answer),
                AnswerJson.of(answer),
                Receipts.of(answer) + held(input, answer));
    }

    /** Whether it is a condition that ended its window, which the receipt does not say. */
    private static String held(StartCommand input, CommandAnswer answer) {
        if (input.yieldWhen() == null || !(answer instanceof CommandAnswer.PromotedToTask promoted)) {
            return "";
        }
        return promoted.because().equals(Answers.WINDOW_CLOSED)
                ? "\n\nNothing of yield_when came true in time."
                : "\n\nCame true: " + promoted.because() + ".";
    }

    private static @Nullable TaskId task(CommandAnswer answer) {
        return answer instanceof CommandAnswer.Completed completed && completed.left() != null
                ? completed.left().task()
                : answer.goesOnAs();
    }
}
