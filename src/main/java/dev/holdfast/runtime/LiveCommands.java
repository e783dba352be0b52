package dev.holdfast.runtime;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Every command that this server runs, and how many it may. Thread-safe. */
@ApplicationScoped
public class LiveCommands {
    private final Map<TaskId, LiveCommand> commands = new ConcurrentHashMap<>();
    private final AtomicInteger running = new AtomicInteger();
    private final long limit;

    public LiveCommands(HoldfastConfig config) {
        this.limit = config.limits().running();
    }

    void put(LiveCommand command) {
        commands.put(command.id(), command);
    }

    /** @throws Refusal {@code capacity_exhausted} when as many run as may */
    void takePlace() {
        if (running.incrementAndGet() > limit) {
            running.decrementAndGet();
            throw full();
        }
    }

    /** The same, and takes none. */
    void requirePlace() {
        if (running.get() >= limit) {
            throw full();
        }
    }

    private Refusal full() {
        return new Refusal(
                ErrorKind.CAPACITY_EXHAUSTED,
                "All " + limit + " places for running commands are taken; nothing was started.",
                "Wait for a task to end or stop one (GET /v1/tasks lists them), then try again.",
                Map.of("limit", limit));
    }

    /** For a command that runs already, whatever the limit says. */
    void takePlaceAnyway() {
        running.incrementAndGet();
    }

    void freePlace() {
        running.decrementAndGet();
    }

    public void remove(TaskId id) {
        commands.remove(id);
    }

    public Optional<LiveCommand> find(TaskId id) {
        return Optional.ofNullable(commands.get(id));
    }

    public Collection<LiveCommand> all() {
        return List.copyOf(commands.values());
    }

    /** Those that are tasks and have not ended. */
    public Stream<Task> tasks() {
        return commands.values().stream()
                .map(LiveCommand::task)
                .filter(task -> task.promotedAt() != null && !task.status().ended());
    }

    /** The processes of one as it has them; never, of what does not run. */
    public CompletableFuture<HostedCommand> hosted(TaskId id) {
        return find(id).map(LiveCommand::hosted).orElseGet(CompletableFuture::new);
    }
}
