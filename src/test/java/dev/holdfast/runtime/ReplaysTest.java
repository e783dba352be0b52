package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.LONG;
import static dev.holdfast.runtime.RuntimeFixture.inBackground;
import static dev.holdfast.runtime.RuntimeFixture.sh;
import static dev.holdfast.runtime.RuntimeFixture.soon;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.CommandAnswer.AlreadyRunning;
import dev.holdfast.task.CommandAnswer.Completed;
import dev.holdfast.task.CommandAnswer.PromotedToTask;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Idempotency keys: of the command they started, and of one that was running when they came. */
class ReplaysTest {
    private static final StartRequest SERVER = sh("serve", Duration.ZERO);

    @TempDir
    Path dataDir;

    @AutoClose
    private RuntimeFixture runtime;

    @BeforeEach
    void open() {
        runtime = new RuntimeFixture(dataDir);
    }

    /** As for each who is told of what runs. */
    @Test
    void aKeyIsThereWhileItIsKeptAgain() {
        KeyFiles files = new KeyFiles(RuntimeFixture.config(dataDir));
        Launch.Idempotency key = new Launch.Idempotency("key", "digest");
        TaskId id = TaskId.parse("task_01M8BD98N29C35A0KFEYA6T0Q6").orElseThrow();
        files.keep(key, id);
        CompletableFuture<Boolean> keeps = inBackground(() -> {
            Stream.generate(() -> id).limit(2_000).forEach(again -> files.keep(key, again));
            return true;
        });

        while (!keeps.isDone()) {
            assertThat(files.find("key")).isPresent();
        }
    }

    @Test
    void aKeyThatWasAnsweredWithAnothersCommandStaysWithItOverARestart() throws Exception {
        FakeCommand first = joined("second");
        runtime = runtime.restarted();
        first.exits(7);

        var folder = runtime.host.folder(first.id());
        assertThat(folder).containsInstanceOf(CommandHost.Folder.Ended.class);
        var row = runtime.store.find(first.id()).orElseThrow();
        runtime.transitions.end(
                first.launch(), row, dev.holdfast.task.Ending.of(new dev.holdfast.task.Exit.Code(7)), row.createdAt());
        assertThat(runtime.startOnce("second", SERVER))
                .isInstanceOfSatisfying(
                        Completed.class,
                        again -> assertThat(again.ending().exitStatus()).isEqualTo(7));
        assertThat(runtime.host.waiting()).isZero();
    }

    /** While it lives, whoever asks again, and however late. */
    @Test
    void aRepetitionTellsWhyItBecameATask() {
        StartRequest request = RuntimeFixture.request(
                "serve",
                StartRequest.DuplicatePolicy.REUSE_RUNNING,
                LONG,
                new StartRequest.YieldWhen(null, 4711, null, false),
                null,
                null);
        var first = inBackground(() -> runtime.startOnce("key", request));
        FakeCommand command = runtime.host.next();
        command.ports.add(4711);

        assertThat(because(first.join())).isEqualTo("port_open");
        command.ports.clear();
        assertThat(because(runtime.startOnce("key", request))).isEqualTo("port_open");
    }

    private static String because(CommandAnswer answer) {
        return ((PromotedToTask) answer).because();
    }

    /** As where there is no descriptor left. */
    @Test
    void aKeyThatCannotBeReadStartsNothing() throws Exception {
        TaskId first = promoted(runtime.startOnce("key", SERVER));
        runtime.host.next().exits(0);
        soon().until(() -> runtime.tasks.find(first).status().ended());
        Path file = onlyKey();
        Path away = Files.move(file, dataDir.resolve("away"));
        Files.createDirectory(file);
        runtime = runtime.restarted();

        Refusal refusal = catchThrowableOfType(Refusal.class, () -> runtime.startOnce("key", SERVER));
        assertThat(refusal.kind()).isEqualTo(ErrorKind.STORAGE_FULL);
        assertThat(refusal).hasMessageContaining("nothing was started");
        assertThat(runtime.host.waiting()).isZero();
        Files.delete(file);
        Files.move(away, file);
        assertThat(runtime.startOnce("key", SERVER)).isInstanceOf(Completed.class);
    }

    @Test
    void oneThatCannotBeReadInTheMidstLeavesTheCommandFree() throws Exception {
        runtime.startOnce("key", sh("other", Duration.ZERO));
        Path file = onlyKey();
        Files.delete(file);
        runtime = runtime.restarted();
        Steps.Hold decided = runtime.steps.hold("journal");
        CompletableFuture<CommandAnswer> start = inBackground(() -> runtime.startOnce("key", SERVER));
        decided.awaitReached();
        Files.createDirectory(file);
        decided.open();
        assertThat(start).failsWithin(Duration.ofSeconds(20));

        Files.delete(file);
        assertThat(runtime.startOnce("key", SERVER)).isInstanceOf(PromotedToTask.class);
    }

    private Path onlyKey() throws IOException {
        try (Stream<Path> files = Files.list(dataDir.resolve("keys"))) {
            return files.findFirst().orElseThrow();
        }
    }

    @Test
    void aKeyThatWasAnsweredWithAnothersCommandIsNotForAnotherBody() {
        joined("second");
        runtime = runtime.restarted();

        Refusal refusal = catchThrowableOfType(Refusal.class, () -> runtime.startOnce("second", sh("b", LONG)));

        assertThat(refusal.kind()).isEqualTo(ErrorKind.IDEMPOTENCY_KEY_REUSED);
    }

    /** What ran is not run again behind its caller's back, also when nothing else is known of it any more. */
    @Test
    void aKeyWhoseCommandIsForgottenStartsNothing() throws Exception {
        FakeCommand first = joined("second");
        first.exits(0);
        soon().until(() -> runtime.tasks.find(first.id()).status().ended());
        runtime.tasks.delete(first.id());

        for (String key : List.of("first", "second")) {
            Refusal refusal = catchThrowableOfType(Refusal.class, () -> runtime.startOnce(key, SERVER));
            assertThat(refusal.kind()).isEqualTo(ErrorKind.TASK_NOT_FOUND);
            assertThat(refusal.details()).containsEntry("task_id", first.id().value());
            assertThat(refusal.details()).containsKey("forgotten_at");
        }
        Refusal other = catchThrowableOfType(Refusal.class, () -> runtime.startOnce("second", sh("b", LONG)));
        assertThat(other.kind()).isEqualTo(ErrorKind.IDEMPOTENCY_KEY_REUSED);
        assertThat(runtime.host.waiting()).isZero();
        assertThat(promoted(runtime.startOnce("third", SERVER))).isNotEqualTo(first.id());
    }

    @Test
    void keysThatWereAnsweredWithAnothersCommandAreDroppedAfterADay() throws IOException {
        joined("second");
        for (int i = 0; i < 10; i++) {
            assertThat(runtime.startOnce("more " + i, SERVER)).isInstanceOf(AlreadyRunning.class);
        }
        runtime.later = Duration.ofHours(23);
        runtime.startOnce("in time", SERVER);
        runtime.keys.sweep(Instant.now().plus(runtime.later));
        assertThat(keys()).isEqualTo(13);
        runtime.later = Duration.ofHours(25);
        runtime.keys.sweep(Instant.now().plus(runtime.later));
        assertThat(keys()).isZero();
        // Nothing in memory knows it either.
        assertThat(runtime.startOnce("second", sh("b", Duration.ZERO))).isInstanceOf(PromotedToTask.class);
    }

    /** Nothing came of it, so the key is free for another one too. */
    @Test
    void aRefusedRequestLeavesItsKeyFree() {
        runtime.steps.fail("spawn");
        assertThatThrownBy(() -> runtime.startOnce("key", sh("a", Duration.ZERO)))
                .hasMessageContaining("fails");

        assertThat(runtime.startOnce("key", sh("b", Duration.ZERO))).isInstanceOf(PromotedToTask.class);
    }

    @Test
    void ofManyWithOneKeyOneAsksWhatRuns() throws Exception {
        TaskId server = promoted(runtime.commands.start(SERVER, null));
        runtime.host.next();
        var answers = new ArrayList<CompletableFuture<CommandAnswer>>();
        for (int i = 0; i < 64; i++) {
            answers.add(inBackground(() -> runtime.startOnce("key", SERVER)));
        }
        for (CompletableFuture<CommandAnswer> answer : answers) {
            assertThat(id(answer.get(20, SECONDS))).isEqualTo(server);
        }
        assertThat(runtime.host.waiting()).isZero();
    }

    /** No descriptor, no memory: those that wait for the first one start it themselves. */
    @Test
    void aFirstRequestThatFailsHoldsUpNobody() throws Exception {
        Steps.Hold spawning = runtime.steps.hold("spawn");
        var first = inBackground(() -> runtime.startOnce("key", sh("a", LONG)));
        spawning.awaitReached();
        var second = inBackground(() -> runtime.startOnce("key", sh("a", LONG)));
        spawning.fail();
        runtime.host.next().exits(3);

        assertThatThrownBy(() -> first.get(20, SECONDS)).hasMessageContaining("fails");
        assertThat(second.get(20, SECONDS)).isInstanceOf(Completed.class);
    }

    /** A command that runs, and a request with a key that is told so. */
    private FakeCommand joined(String key) {
        TaskId id = promoted(runtime.startOnce("first", SERVER));
        assertThat(runtime.startOnce(key, SERVER))
                .isInstanceOfSatisfying(
                        AlreadyRunning.class,
                        running -> assertThat(running.task().id()).isEqualTo(id));
        return runtime.host.next();
    }

    private long keys() throws IOException {
        try (Stream<Path> files = Files.list(dataDir.resolve("keys"))) {
            return files.count();
        }
    }

    private static TaskId promoted(CommandAnswer answer) {
        return ((PromotedToTask) answer).task().id();
    }

    private static TaskId id(CommandAnswer answer) {
        return answer instanceof AlreadyRunning running ? running.task().id() : promoted(answer);
    }
}
