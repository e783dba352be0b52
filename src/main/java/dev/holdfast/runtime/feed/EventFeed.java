package dev.holdfast.runtime.feed;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.LiveCommands;
import dev.holdfast.runtime.Observations;
import dev.holdfast.runtime.TaskChanges;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.start.Approvals;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.time.InstantSource;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What happens to tasks, as it happens. Thread-safe. */
@Singleton
public final class EventFeed {
    private final Caller caller;
    private final Tasks tasks;
    private final OutputStore outputs;
    private final TaskChanges changes;
    private final Observations observations;
    private final AllTasks all;

    public EventFeed(
            Caller caller,
            Tasks tasks,
            LiveCommands live,
            OutputStore outputs,
            TaskChanges changes,
            Observations observations,
            Approvals approvals,
            InstantSource clock) {
        this.caller = caller;
        this.tasks = tasks;
        this.outputs = outputs;
        this.changes = changes;
        this.observations = observations;
        this.all = new AllTasks(new EventRing(clock.millis()), live::tasks, outputs, changes, observations);
        approvals.listen(all::tell);
    }

    /**
     * One task's events, from its start.
     *
     * @param lastEventId the id of the last event the caller has seen, null for none
     * @throws Refusal {@code task_not_found}, or an id that is none
     */
    public FeedReader one(TaskId task, @Nullable String lastEventId) {
        tasks.find(task);
        return new OneTaskReader(task, lastEventId, tasks, outputs, changes, observations);
    }

    /**
     * The events of all tasks that the caller sees, from now; beginning with a {@code resync} when what followed
     * {@code lastEventId} is not kept.
     *
     * @param labels that a task must have
     * @param lastEventId the id of the last event the caller has seen, of any form, null for none
     */
    public FeedReader all(Map<String, String> labels, @Nullable String lastEventId) {
        Actor actor = caller.actor();
        return all.reader(
                source ->
                        actor.sees(source.owner()) && source.labels().entrySet().containsAll(labels.entrySet()),
                lastEventId);
    }
}
