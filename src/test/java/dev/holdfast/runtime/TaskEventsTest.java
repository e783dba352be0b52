package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.output.OutputFiles;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.feed.EventFeed;
import dev.holdfast.runtime.feed.FeedEvent;
import dev.holdfast.runtime.feed.FeedReader;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.CommandAnswer.PromotedToTask;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One task's events: whole, once, in order, and in pieces. */
@Timeout(180)
class TaskEventsTest {
    @TempDir
    Path dataDir;

    private RuntimeFixture runtime;
    private Observations observations;
    private EventFeed feed;
    private TaskId id;

    @BeforeEach
    void start() {
        runtime = new RuntimeFixture(dataDir);
        observations = new Observations(
                runtime.host,
                runtime.live,
                new Prompts(runtime.outputs),
                InstantSource.system(),
                new SimpleMeterRegistry());
        feed = feed(runtime.outputs);
        id = ((PromotedToTask) runtime.commands.start(sh("a", Duration.ZERO), null))
                .task()
                .id();
    }

    @AfterEach
    void close() {
        observations.close();
        runtime.close();
    }

    private EventFeed feed(OutputStore outputs) {
        return new EventFeed(
                runtime.caller,
                runtime.tasks,
                runtime.live,
                outputs,
                runtime.changes,
                observations,
                runtime.approvals,
                InstantSource.system());
    }

    private void print(String text) {
        runtime.outputs.write(id, StreamName.STDOUT, text);
    }

    /** All but what its processes do, which is told when it is seen. */
    private static List<FeedEvent> toTheEnd(FeedReader reader) throws InterruptedException {
        List<FeedEvent> events = new ArrayList<>();
        while (!reader.finished()) {
            List<FeedEvent> next = reader.next(Duration.ofSeconds(20));
            assertThat(next).as("after %s", events).isNotEmpty();
            next.stream().filter(event -> !event.type().equals("waiting")).forEach(events::add);
        }
        return events;
    }

    private List<FeedEvent> toTheEnd(@Nullable String lastEventId) throws InterruptedException {
        try (FeedReader reader = feed.one(id, lastEventId)) {
            reader.begin();
            return toTheEnd(reader);
        }
    }

    /** What they say: a status, or a text with the place that it begins at. */
    private static List<String> said(List<FeedEvent> events) {
        return events.stream()
                .map(event -> event.type().equals("status")
                        ? "" + event.data().get("status")
                        : event.data().get("from") + " " + event.data().get("text"))
                .toList();
    }

    @Test
    void eachIsToldOnceAndTheEndAfterAllOutput() throws Exception {
        try (FeedReader reader = feed.one(id, null)) {
            reader.begin();
            List<FeedEvent> events = new ArrayList<>(reader.next(Duration.ofSeconds(20)));
            print("one");
            events.addAll(reader.next(Duration.ofSeconds(20)));
            print("two");
            runtime.host.next().exits(0);
            events.addAll(toTheEnd(reader));

            events.removeIf(event -> event.type().equals("waiting"));
            assertThat(said(events)).containsExactly("running", "0 one", "3 two", "completed");
        }
    }

    @Test
    void whoComesBackGoesOnAfterTheEventThatHeSaw() throws Exception {
        print("x".repeat(200_000));
        runtime.host.next().exits(1);
        List<FeedEvent> all = toTheEnd((String) null);

        assertThat(all).hasSizeGreaterThan(3);
        for (int i = 0; i < all.size() - 1; i++) {
            assertThat(said(toTheEnd(all.get(i).id()))).isEqualTo(said(all.subList(i + 1, all.size())));
        }
        assertThat(feed.one(id, all.getLast().id()).finished()).isTrue();
    }

    /** Who is slower than a flood holds no more of it than one piece. */
    @Test
    void muchIsHandedOutInPieces() throws Exception {
        print("x".repeat(1 << 20));
        try (FeedReader reader = feed.one(id, null)) {
            reader.begin();
            long told = 0;
            while (told < 1 << 20) {
                long before = told;
                for (FeedEvent event : reader.next(Duration.ofSeconds(20))) {
                    told += event.data().get("text") instanceof String text ? text.length() : 0;
                }
                assertThat(told - before).isLessThanOrEqualTo(64 * 1024);
            }
        }
    }

    /** As `(sleep 2; echo late) & exit 0` prints. */
    @Test
    void whatIsPrintedAfterTheEndIsToldToWhoComesBack() throws Exception {
        print("early");
        runtime.host.next().exits(0);
        List<FeedEvent> first = toTheEnd((String) null);
        print("late");
        List<FeedEvent> second = toTheEnd(first.getLast().id());

        assertThat(said(second)).containsExactly("5 late");
        assertThat(feed.one(id, second.getLast().id()).finished()).isTrue();
    }

    /** A read ends at the gap, which is not the end of what there is. */
    @Test
    void whatIsKeptBehindAGapIsToldBeforeTheEnd() throws Exception {
        Path folder = TaskFolder.of(dataDir, id).path();
        Files.writeString(folder.resolve("out"), "x".repeat(100_000) + "THE-TAIL\n");
        Files.writeString(folder.resolve("omitted"), "stdout 16384 90000\n".repeat(2));
        runtime.host.next().exits(0);
        try (KernelEvents events = new KernelEvents();
                OutputFiles files = new OutputFiles(dataDir, events, 1 << 20, 0)) {
            feed = feed(files);
            List<FeedEvent> all = toTheEnd((String) null);

            assertThat(all.getLast().data()).containsEntry("status", "completed");
            assertThat(all.get(all.size() - 2).data())
                    .containsEntry("from", 90_000L)
                    .containsEntry("to", 100_009L)
                    .extractingByKey("text")
                    .asString()
                    .endsWith("xTHE-TAIL\n");
            assertThat(said(toTheEnd("9000:0:running::"))).last().isEqualTo("completed");
            assertThat(toTheEnd("9000:0:running::")).hasSize(3);
        }
    }

    @Test
    void anIdThatIsNoneIsRefused() {
        Refusal refusal = catchThrowableOfType(Refusal.class, () -> feed.one(id, "1:2:asleep::"));

        assertThat(refusal.kind()).isEqualTo(ErrorKind.INVALID_TOOL_INPUT);
    }
}
