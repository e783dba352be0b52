package dev.holdfast.runtime;

import dev.holdfast.render.BusyPorts;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.PortOwner;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future.State;
import org.jspecify.annotations.Nullable;

/**
 * Who holds the port that a command failed for: when its last lines tell of an address in use, the kernel's tables are
 * asked. Thread-safe.
 */
@Singleton
public record PortOwners(OutputStore outputs, CommandHost host, LiveCommands live, TaskStore store) {
    private static final int LAST_BYTES = 8192;

    /**
     * Reads its last lines; only where they tell of an address in use does it look at processes, some ten milliseconds.
     */
    Optional<PortOwner> of(LiveCommand failed) {
        OutputStore.Facts facts = outputs.facts(failed.id());
        String output =
                last(failed.id(), StreamName.STDOUT, facts) + "\n" + last(failed.id(), StreamName.STDERR, facts);
        Collection<Integer> ports =
                BusyPorts.in(output, failed.launch().command().invocation().text());
        return ports.isEmpty()
                ? Optional.empty()
                : host.listener(ports, hosted())
                        .map(listener ->
                                owner(listener, failed.launch().command().owner()));
    }

    private String last(TaskId id, StreamName stream, OutputStore.Facts facts) {
        long bytes = facts.bytes(stream);
        return bytes == 0
                ? ""
                : outputs.readText(id, stream, Math.max(0, bytes - LAST_BYTES), LAST_BYTES, true)
                        .text();
    }

    private List<HostedCommand> hosted() {
        return live.all().stream()
                .map(LiveCommand::hosted)
                .filter(hosted -> hosted.state() == State.SUCCESS)
                .map(CompletableFuture::resultNow)
                .toList();
    }

    /**
     * A task that nobody knows is another server's. What holds the port and is not for the failed command's owner to
     * see is told of as another user's process is.
     *
     * @param of that owner; null: the operator, who sees all
     */
    private PortOwner owner(CommandHost.Listener listener, @Nullable String of) {
        Optional<Task> task = Optional.ofNullable(listener.task())
                .flatMap(id -> live.find(id).map(LiveCommand::task).or(() -> store.find(id)));
        if (of != null && task.isPresent() && !of.equals(task.get().command().owner())) {
            return new PortOwner(listener.port(), null, null, null);
        }
        Invocation command = task.map(known -> known.command().invocation()).orElse(null);
        return new PortOwner(
                listener.port(),
                task.map(Task::id).orElse(null),
                listener.pid(),
                command == null ? null : Diagnostics.summary(command));
    }
}
