package dev.holdfast.tool.holdfast;

import dev.holdfast.message.body.WaitFor;
import dev.holdfast.message.view.WaitJson;
import dev.holdfast.render.TaskTexts;
import dev.holdfast.runtime.TaskView;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.wait.Conditions;
import dev.holdfast.runtime.wait.WaitAnswer;
import dev.holdfast.runtime.wait.WaitRequest;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolDescription;
import dev.holdfast.tool.WrittenIds;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** Waits for any tasks and any conditions. */
@Singleton
@ToolDescription(
        profile = Profile.HOLDFAST,
        name = "Wait",
        description = "Wait for any or all of some conditions of tasks; do not poll.",
        notes = {"all: instead, as any"},
        effect = ToolDescription.Effect.READS)
public record Wait(Conditions conditions, Tasks tasks, WrittenIds ids) implements Tool<WaitFor> {
    @Override
    public Outcome run(WaitFor input, Call call) {
        WaitRequest asked = input.request(ids::of);
        WaitRequest request = new WaitRequest(asked.all(), asked.conditions(), call.wait(asked.timeout()));
        WaitAnswer answer = conditions.await(request, new CompletableFuture<>());
        String head = head(answer);
        List<String> lines = new ArrayList<>(List.of(head));
        for (WaitAnswer.Match match : answer.matches()) {
            lines.add("[" + match.index() + "] " + match.text());
            lines.add(TaskTexts.nextCursor(match.cursor()));
        }
        boolean one = answer.tasks().size() == 1;
        for (TaskView view : answer.tasks()) {
            lines.add((one ? "Status: " : view.task().id() + "  ") + TaskTexts.status(view.task(), Views.seen(view)));
            TaskTexts.left(view.task().id(), tasks.left(view.task())).ifPresent(lines::add);
        }
        return new Outcome(
                one ? answer.tasks().getFirst().task().id() : null,
                head,
                WaitJson.of(answer),
                String.join("\n", lines));
    }

    private static String head(WaitAnswer answer) {
        String impossible =
                answer.impossible().isEmpty() ? "" : "Can't come true any more: " + indices(answer.impossible()) + ".";
        if (!answer.satisfied().isEmpty()) {
            String late = answer.timedOut() ? "The rest did not in time; wait again. " : "";
            return ("Came true: " + indices(answer.satisfied()) + ". " + late + impossible).strip();
        }
        return ((answer.timedOut() ? "Nothing came true in time; wait again. " : "") + impossible).strip();
    }

    private static String indices(List<Integer> indices) {
        return indices.stream().map(index -> "[" + index + "]").collect(Collectors.joining(", "));
    }
}
