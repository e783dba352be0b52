package dev.holdfast.tool.holdfast;

import dev.holdfast.message.body.ListTasks;
import dev.holdfast.message.view.TaskJson;
import dev.holdfast.render.TaskTexts;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.task.TaskId;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolDescription;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/** Finds tasks, newest first. */
@Singleton
@ToolDescription(
        profile = Profile.HOLDFAST,
        name = "TaskList",
        description = "List tasks, newest first: id, status, age, command. Finds work you lost track of.",
        notes = {"status: active, ended, all or one", "label: key=value", "q: in the command", "ended_after: RFC 3339"},
        effect = ToolDescription.Effect.READS)
public record TaskList(Tasks tasks, InstantSource clock) implements Tool<ListTasks> {
    @Override
    public Outcome run(ListTasks input, Call call) {
        Tasks.Listing listing = tasks.list(input.query(), input.looksNow());
        Instant now = clock.instant();
        TaskId next = listing.next();
        List<String> lines = listing.tasks().stream()
                .map(view -> TaskTexts.line(view.task(), Views.seen(view), now))
                .toList();
        return new Outcome(
                null,
                lines.size() + " tasks, " + listing.totalActive() + " active",
                TaskJson.listing(listing),
                TaskTexts.list(lines, listing.totalActive(), next == null ? null : next.value()));
    }
}
