package dev.holdfast.runtime.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.output.OutputFiles;
import dev.holdfast.runtime.Observations;
import dev.holdfast.runtime.TaskChanges;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.PlainCommand;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskEvent;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskLifecycle;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real files; tasks change as they are told to. */
class AllTasksTest {

    @TempDir
    Path dataDir;

    private final KernelEvents events = new KernelEvents();
    private final TaskChanges changes = new TaskChanges();
    private final EventRing ring = new EventRing(1_750_000_000_000L);
    private final Map<TaskId, Task> running = new ConcurrentHashMap<>();
    private final Counter passes = new SimpleMeterRegistry().counter("passes");
    private final Observations observations =
            new Observations(_ -> Map.of(), List::of, _ -> null, InstantSource.system(), passes, Duration.ZERO);
    private OutputFiles outputs;
    private AllTasks all;

    @BeforeEach
    void open() {
        outputs = new OutputFiles(dataDir, events, 1 << 20, 0);
        all = new AllTasks(
                ring,
                () -> running.values().stream().filter(task -> !task.status().ended()),
                outputs,
                changes,
                observations);
    }

    @AfterEach
    void close() {
        observations.close();
        outputs.close();
        events.close();
    }

    private FeedReader reader(@Nullable String lastEventId) {
        FeedReader reader = all.reader(_ -> true, lastEventId);
        reader.begin();
        return reader;
    }

    private Task start(int number) throws IOException {
        TaskId id = new TaskId("task_01JZZZZZZZZZZZZZZZZZZZZZ%02d".formatted(number));
        Files.createDirectories(TaskFolder.of(dataDir, id).path());
        for (StreamName stream : StreamName.values()) {
            Files.createFile(TaskFolder.of(dataDir, id).output(stream));
        }
        CommandSpec spec = PlainCommand.of(new Invocation.ShellText("x", "/bin/sh", false), dataDir);
        return change(change(Task.queued(id, spec, Instant.now()), new TaskEvent.Spawned()), new TaskEvent.Promoted());
    }

    private Task change(Task task, TaskEvent event) {
        Task after = TaskLifecycle.apply(task, event, Instant.now());
        running.put(after.id(), after);
        changes.publish(after);
        return after;
    }

    private Task end(Task task) {
        return change(task, new TaskEvent.Ended(new Ending(EndedBy.EXIT, 0, null, Map.of())));
    }

    private void print(Task task, String text) throws IOException {
        Files.writeString(TaskFolder.of(dataDir, task.id()).output(StreamName.STDOUT), text, StandardOpenOption.APPEND);
    }

    /** What comes until an event of that type, short: a type, and what it says. */
    private static List<String> until(FeedReader reader, String... wanted) throws InterruptedException {
        List<String> told = new ArrayList<>();
        while (!told.containsAll(List.of(wanted)) || told.size() < wanted.length) {
            List<FeedEvent> events = reader.next(Duration.ofSeconds(10));
            assertThat(events).as("after %s", told).isNotEmpty();
            events.forEach(event -> told.add(shortly(event)));
        }
        return told;
    }

    private static String shortly(FeedEvent event) {
        Map<String, @Nullable Object> data = event.data();
        return switch (event.type()) {
            case "status" -> "" + data.get("status");
            case "output" -> data.get("from") + "-" + data.get("to");
            default -> event.type();
        };
    }

    @Test
    void aTaskIsToldFromItsStartAndItsEndAfterAllItPrinted() throws Exception {
        try (FeedReader reader = reader(null)) {
            Task task = start(1);
            print(task, "one");
            List<String> first = until(reader, "0-3");
            print(task, "two");
            end(task);

            assertThat(first).containsExactly("running", "0-3");
            assertThat(until(reader, "completed")).containsExactly("3-6", "completed");
        }
    }

    @Test
    void whatWasThereBeforeCountsAsTold() throws Exception {
        Task task = start(1);
        print(task, "before");
        open();
        try (FeedReader reader = reader(null)) {
            print(task, " after");
            assertThat(until(reader, "6-12")).containsExactly("6-12");
        }
    }

    @Test
    void changesThatComeLateOrTwiceAreToldOnce() throws Exception {
        try (FeedReader reader = reader(null)) {
            Task task = start(1);
            Task stopping = change(task, new TaskEvent.StopRequested());
            end(stopping);
            changes.publish(stopping);
            changes.publish(task);
            end(start(2));

            assertThat(until(reader, "completed"))
                    .containsExactly("running", "cancelling", "cancelled", "running", "completed");
        }
    }

    @Test
    void muchThatIsPrintedIsToldAsLittle() throws Exception {
        try (FeedReader reader = reader(null)) {
            Task task = start(1);
            long from = System.nanoTime();
            for (int i = 0; i < 5000; i++) {
                print(task, "x");
            }
            long paces = Duration.ofNanos(System.nanoTime() - from).toMillis() / 50;
            end(task);

            List<String> told = until(reader, "completed");
            assertThat(told).hasSizeLessThanOrEqualTo((int) paces + 6);
            assertThat(told.get(told.size() - 2)).endsWith("-5000");
        }
    }

    /** However long he was away: what was printed with nobody there is told before what follows it. */
    @Test
    void whoComesBackMissesNothing() throws Exception {
        String last;
        Task first = start(1);
        try (FeedReader reader = reader(null)) {
            last = reader.place();
        }
        print(first, "away");
        end(first);
        Task second = start(2);
        print(second, "more");
        try (FeedReader reader = reader(last)) {
            assertThat(until(reader, "completed", "running", "0-4", "0-4"))
                    .containsExactly("0-4", "completed", "running", "0-4");
        }
    }

    @Test
    void withNobodyThereNothingIsLookedAt() throws Exception {
        Task task = start(1);
        reader(null).close();
        double looked = passes.count();
        long told = ring.last();
        print(task, "unseen");
        await().during(Duration.ofMillis(2200)).until(() -> passes.count() <= looked + 1 && ring.last() == told);
        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("all-tasks"));
    }

    @Test
    void whoIsTooFarBehindIsToldSo() throws Exception {
        try (FeedReader slow = reader(null);
                FeedReader quick = reader(null)) {
            Task task = start(1);
            until(slow, "running");
            for (int i = 0; i <= EventRing.KEPT; i++) {
                ring.append(new EventRing.Source(Map.of(), null), "waiting", Map.of());
            }
            assertThat(until(slow, "resync")).containsExactly("resync");
            end(task);
            assertThat(until(slow, "completed")).containsExactly("completed");
            assertThat(until(quick, "resync")).containsExactly("resync");
        }
    }

    @Test
    void anAbandonedReaderWaitsNoLonger() throws Exception {
        try (FeedReader reader = reader(null);
                var readers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<List<FeedEvent>> waiting = readers.submit(() -> reader.next(Duration.ofMinutes(5)));
            reader.abandon();
            assertThat(waiting.get(10, TimeUnit.SECONDS)).isEmpty();
        }
    }
}
