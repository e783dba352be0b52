package dev.holdfast.runtime.wait;

import dev.holdfast.runtime.LiveCommand;
import dev.holdfast.runtime.LiveCommands;
import dev.holdfast.runtime.Observations;
import dev.holdfast.runtime.Prompts;
import dev.holdfast.runtime.TaskChanges;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.call.Wakeup;
import dev.holdfast.runtime.output.OutputCursor;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.wait.Outcome.Found;
import dev.holdfast.runtime.wait.WaitRequest.Condition;
import dev.holdfast.runtime.wait.WaitRequest.Until;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The conditions that anybody waits for. Equal ones are one: a thousand callers who wait for the same cost one look,
 * one watch, and no thread. Thread-safe; nothing waits while its lock is held.
 */
@Singleton
public final class Conditions {
    private final Tasks tasks;
    private final LiveCommands live;
    private final OutputStore outputs;
    private final Observations observations;
    private final Prompts prompts;
    private final InstantSource clock;
    private final Looks looks = new Looks();
    /** Those of running tasks; guarded by this. */
    private final Map<TaskId, Map<Key, Awaited>> open = new HashMap<>();

    /** @param from where looking at its output begins */
    record Key(Condition condition, OutputCursor from) {
        TaskId task() {
            return condition.task();
        }
    }

    public Conditions(
            Tasks tasks,
            LiveCommands live,
            OutputStore outputs,
            Observations observations,
            Prompts prompts,
            TaskChanges changes,
            InstantSource clock) {
        this.tasks = tasks;
        this.live = live;
        this.outputs = outputs;
        this.observations = observations;
        this.prompts = prompts;
        this.clock = clock;
        var _ = changes.listen(this::changed);
    }

    /**
     * Blocks until any (or all) of the conditions came true, can't come true any more, or the time is over. What is
     * true already answers at once. All can't come true any more as soon as one of them can't. On a virtual thread: one
     * that sleeps costs none.
     *
     * @param over ends the wait when it completes in any way; the answer then says what had come true so far
     * @throws Refusal {@code task_not_found}, {@code cursor_expired}, or a cursor that is none; nothing waited
     */
    public WaitAnswer await(WaitRequest request, CompletableFuture<?> over) {
        try (Wait wait = begin(request.all(), request.conditions())) {
            boolean timedOut = wait.await(request.timeout(), over);
            return new WaitAnswer(
                    wait.satisfied(), timedOut, wait.matches(), tasks.views(wait.tasks()), wait.impossible());
        }
    }

    /**
     * What one caller waits for; looked at from now on until it is closed.
     *
     * @param all whether all must come true; else any
     * @param conditions none: only time passes
     * @throws Refusal {@code task_not_found}, {@code cursor_expired}, or a cursor that is none; nothing waits
     */
    public Wait begin(boolean all, List<Condition> conditions) {
        Map<TaskId, Task> found = new LinkedHashMap<>();
        conditions.forEach(condition -> found.computeIfAbsent(condition.task(), tasks::find));
        List<Key> keys = conditions.stream().map(this::key).toList();
        Wait wait = new Wait(this, all, found);
        try {
            keys.forEach(wait::add);
        } catch (RuntimeException | Error failure) {
            wait.close();
            throw failure;
        }
        return wait;
    }

    private Key key(Condition condition) {
        OutputCursor from = condition.until() instanceof Until.OutputMatches(var _, var cursor) && cursor != null
                ? OutputCursor.parse(null, cursor, outputs.facts(condition.task()))
                : OutputCursor.START;
        return new Key(condition, from);
    }

    /** @param task as it was found before */
    Awaited enter(Key key, Task task, Wakeup waiter) {
        Awaited made = make(key, task);
        if (task.status().ended()) {
            made.enter(waiter);
            made.ended(task);
        } else {
            Awaited shared = share(key, made, waiter);
            if (shared != made) {
                return shared;
            }
            endIfOver(key, made, waiter);
        }
        made.begin();
        return made;
    }

    /** What ends from now on is told; what has ended before may not have been. */
    private void endIfOver(Key key, Awaited made, Wakeup waiter) {
        try {
            if (live.find(key.task())
                    .map(command -> command.task().status().ended())
                    .orElse(true)) {
                made.ended(tasks.find(key.task()));
            }
        } catch (RuntimeException | Error unknown) { // else the next one who waits for it would share what never begins
            leave(key, made, waiter);
            throw unknown;
        }
    }

    /** One that is settled is not shared: what came true may not be true any more. */
    private synchronized Awaited share(Key key, Awaited made, Wakeup waiter) {
        Map<Key, Awaited> ofTask = open.computeIfAbsent(key.task(), _ -> new HashMap<>());
        Awaited known = ofTask.get(key);
        Awaited shared = known == null || known.isOver() ? made : known;
        ofTask.put(key, shared);
        shared.enter(waiter);
        return shared;
    }

    void leave(Key key, Awaited awaited, Wakeup waiter) {
        synchronized (this) {
            if (!awaited.leave(waiter)) {
                return;
            }
            Map<Key, Awaited> ofTask = open.get(key.task());
            if (ofTask != null && ofTask.remove(key, awaited) && ofTask.isEmpty()) {
                open.remove(key.task());
            }
        }
        awaited.close();
    }

    private Awaited make(Key key, Task task) {
        Runnable told = () -> observations.outdated(task.id());
        CompletableFuture<HostedCommand> hosted = live.hosted(task.id());
        return switch (key.condition().until()) {
            case Until.End _ -> new AwaitedEnd();
            case Until.OutputMatches(var pattern, var _) -> new AwaitedOutput(task.id(), pattern, key.from(), outputs);
            case Until.PortOpen(int port) -> AwaitedLook.port(port, hosted, looks, told);
            case Until.Idle(var quiet) -> new AwaitedIdle(task, quiet, hosted, outputs, clock);
            case Until.NeedsInput _ -> AwaitedLook.input(hosted, looks, told, () -> asked(task.id(), hosted.join()));
        };
    }

    /** A program that reads has printed its question; in a terminal that may be on its way to its output. */
    private @Nullable Found asked(TaskId id, HostedCommand hosted) {
        var _ = hosted.drained();
        Prompts.Prompt prompt = prompts.of(id);
        if (prompt == null) {
            return null;
        }
        OutputStore.Facts printed = prompt.printed();
        return new Found(prompt.text(), new OutputCursor(printed.stdoutBytes(), printed.stderrBytes()).text(null));
    }

    private void changed(Task task) {
        if (task.status().ended()) {
            List<Awaited> those;
            synchronized (this) {
                those = List.copyOf(open.getOrDefault(task.id(), Map.of()).values());
            }
            those.forEach(awaited -> awaited.ended(task));
        }
    }

    /** A task that was found before, as it stands. */
    Task current(Task found, List<Awaited> awaited) {
        if (found.status().ended()) {
            return found;
        }
        return live.find(found.id())
                .map(LiveCommand::task)
                .orElseGet(() -> awaited.stream()
                        .map(Awaited::endedTask)
                        .filter(ended -> ended != null && ended.id().equals(found.id()))
                        .findFirst()
                        .orElseGet(() -> tasks.find(found.id())));
    }

    /** How many conditions of running tasks are waited for. */
    public synchronized int count() {
        return open.values().stream().mapToInt(Map::size).sum();
    }
}
