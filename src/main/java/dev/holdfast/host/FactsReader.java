package dev.holdfast.host;

import dev.holdfast.runtime.HostedCommand.ProcessFacts;
import dev.holdfast.task.TaskId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Reads what {@code /proc} says of commands now. */
public interface FactsReader {
    /** Of each of them, by one look at all processes for all of them together. */
    Map<TaskId, ProcessFacts> read(Collection<TaskProcess> targets);

    default ProcessFacts read(TaskProcess target) {
        return Objects.requireNonNull(read(List.of(target)).get(target.id()));
    }

    /** Whether one of its processes listens on this TCP port; cheaper than {@link #read}. */
    boolean listensOn(TaskProcess target, int port);
}
