package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.LONG;
import static dev.holdfast.runtime.RuntimeFixture.inBackground;
import static dev.holdfast.runtime.RuntimeFixture.request;
import static dev.holdfast.runtime.RuntimeFixture.sh;
import static dev.holdfast.runtime.RuntimeFixture.soon;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.re2j.Pattern;
import dev.holdfast.recovery.Recovery.Report;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.runtime.start.StartRequest.DuplicatePolicy;
import dev.holdfast.runtime.start.StartRequest.YieldWhen;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.CommandAnswer.Completed;
import dev.holdfast.task.CommandAnswer.PromotedToTask;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A failure at each step of a start, up to the save of its end: nothing runs without an owner, nothing is held for
 * ever.
 */
class StartFailuresTest {
    @TempDir
    Path dataDir;

    @AutoClose
    private RuntimeFixture runtime;

    @BeforeEach
    void open() {
        runtime = new RuntimeFixture(dataDir);
    }

    @ParameterizedTest
    @CsvSource({"space,false", "folder,false", "spawn,false", "hostWatch,false", "spawn,true", "hostWatch,true"})
    void aCommandThatCannotBeSpawnedLeavesNothing(String step, boolean badly) {
        runtime.steps.fail(step, badly);

        assertThatThrownBy(() -> runtime.commands.start(sh("a", LONG), null)).hasMessageContaining(step);

        assertThat(runtime.host.waiting()).isZero();
        assertThat(runtime.live.all()).isEmpty();
        everyPlaceAndTheClaimAreFree("a");
    }

    /** Its output cannot be governed, or its limits not be watched: no descriptor is left, for one. */
    @ParameterizedTest
    @CsvSource({
        "govern,60000,false",
        "govern,0,false",
        "age,60000,false",
        "age,0,false",
        "govern,60000,true",
        "age,0,true"
    })
    void aCommandThatCannotBeLookedAfterIsStopped(String step, long window, boolean badly) {
        runtime.steps.fail(step, badly);
        StartRequest request =
                request("a", DuplicatePolicy.REUSE_RUNNING, Duration.ofMillis(window), YieldWhen.NONE, null, LONG);

        Refusal refusal = catchThrowableOfType(Refusal.class, () -> runtime.commands.start(request, null));

        assertThat(refusal.kind()).isEqualTo(ErrorKind.COMMAND_SPAWN_FAILED);
        assertThat(refusal).hasMessageContaining(step);
        assertThat(runtime.host.next().exit()).isDone();
        soon().untilAsserted(() -> assertThat(runtime.live.all()).isEmpty());
        soon().untilAsserted(() -> assertThat(runtime.host.ids()).isEmpty());
        assertThat(rows()).isEmpty();
        everyPlaceAndTheClaimAreFree("a");
    }

    /** What lives keeps an owner and its place; it is nobody's duplicate, and can be stopped once more. */
    @Test
    void aCommandThatCannotBeLookedAfterAndSurvivesItsStopIsATask() throws Exception {
        Steps.Hold governing = runtime.steps.hold("govern");
        var refused = runtime.start(sh("a", LONG));
        FakeCommand survivor = runtime.host.next();
        survivor.immortal = true;
        governing.awaitReached();
        governing.fail();

        assertThat(failure(refused))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining(survivor.id().value());
        assertThat(rows()).extracting(Task::id).containsExactly(survivor.id());
        assertThat(runtime.commands.start(sh("a", Duration.ZERO), null)).isInstanceOf(PromotedToTask.class);

        survivor.immortal = false;
        assertThat(runtime.control.stop(survivor.id(), Duration.ZERO, false).survivors())
                .isEmpty();
        assertThat(rows()).element(1).extracting(Task::status).isEqualTo(TaskStatus.CANCELLED);
        for (int i = 0; i < 3; i++) {
            runtime.commands.start(sh("place " + i, Duration.ZERO), null);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoWaitsForACommandThatCannotBeLookedAfterStartsItHimself(boolean badly) throws Exception {
        Steps.Hold governing = runtime.steps.hold("govern");
        var first = runtime.start(sh("a", LONG));
        governing.awaitReached();
        var second = runtime.start(sh("a", LONG));
        FakeCommand stopped = runtime.host.next();
        soon().until(() -> runtime.live.all().size() == 1 && !second.isDone());
        governing.fail(badly);

        FakeCommand command = runtime.host.next();
        command.exits(3);

        assertThat(failure(first)).isInstanceOf(Refusal.class);
        assertThat(stopped.exit()).isDone();
        assertThat(completed(second).ending().exitStatus()).isEqualTo(3);
    }

    /** A look at the terminal or the output that fails in its window closes the window. */
    @ParameterizedTest
    @CsvSource({"read,false", "processFacts,true"})
    void aWindowThatCannotLookClosesEarly(String step, boolean needsInput) throws Exception {
        runtime.steps.fail(step);
        Pattern pattern = needsInput ? null : Pattern.compile("ready");

        var answer = runtime.start(waitingFor(new YieldWhen(pattern, null, null, needsInput)));

        assertThat(answer.get(20, SECONDS)).isInstanceOf(PromotedToTask.class);
        assertThat(rows()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1})
    void aPromotionWhoseInsertFailsIsARowSoonAfter(long window) throws Exception {
        runtime.steps.fail("insert");

        CommandAnswer answer = runtime.start(sh("a", Duration.ofMillis(window))).get(20, SECONDS);

        TaskId id = ((PromotedToTask) answer).task().id();
        assertThat(runtime.tasks.find(id).status()).isEqualTo(TaskStatus.RUNNING);
        soon().untilAsserted(() -> assertThat(runtime.store.find(id)).isPresent());
    }

    @Test
    void aPromotionWithoutAPreviewStillNamesItsTask() throws Exception {
        runtime.steps.fail("preview");

        CommandAnswer answer = runtime.start(sh("a", Duration.ZERO)).get(20, SECONDS);

        assertThat(answer).isInstanceOfSatisfying(PromotedToTask.class, promoted -> {
            assertThat(runtime.store.find(promoted.task().id())).isPresent();
            assertThat(promoted.initial().stdout()).isNull();
        });
    }

    /** Nor what there is of it: how it ended is told all the same. */
    @Test
    void anEndWhoseOutputCannotBeLookedAtIsTold() throws Exception {
        var answer = runtime.start(sh("a", LONG));
        FakeCommand command = runtime.host.next();
        runtime.outputs.write(command.id(), StreamName.STDOUT, "all of it");
        runtime.steps.fail("preview");
        for (int i = 0; i < 10; i++) {
            runtime.steps.fail("facts");
        }
        command.exits(3);

        Completed completed = completed(answer);
        assertThat(completed.ending().exitStatus()).isEqualTo(3);
        assertThat(completed.artifacts()).isEmpty();
    }

    /** How it ended is known, and where all of its output lies. */
    @Test
    void anEndWithoutAPreviewIsToldWithItsArtifacts() throws Exception {
        runtime.steps.fail("preview");
        var answer = runtime.start(sh("a", LONG));
        FakeCommand command = runtime.host.next();
        runtime.outputs.write(command.id(), StreamName.STDOUT, "all of it");
        command.exits(3);

        Completed completed = completed(answer);
        assertThat(completed.ending().exitStatus()).isEqualTo(3);
        assertThat(completed.preview().truncated()).isTrue();
        assertThat(completed.artifacts())
                .singleElement()
                .satisfies(all -> assertThat(all.bytes()).isEqualTo(9));
        assertThat(runtime.live.all()).isEmpty();
        assertThat(runtime.host.ids()).containsExactly(command.id());
    }

    /** Its folder takes nothing more: who repeats the request gets the same command all the same. */
    @Test
    void anAnswerThatCannotBeKeptIsGivenAndNotForgotten() throws Exception {
        Steps.Hold looking = runtime.steps.hold("endingDetails");
        var answer = inBackground(() -> runtime.startOnce("key", sh("a", LONG)));
        FakeCommand command = runtime.host.next();
        command.exits(3);
        looking.awaitReached();
        Path folder = TaskFolder.of(dataDir, command.id()).path();
        Files.delete(folder);
        Files.createFile(folder);
        looking.open();

        assertThat(completed(answer).ending().exitStatus()).isEqualTo(3);
        assertThat(runtime.startOnce("key", sh("a", LONG)))
                .isInstanceOfSatisfying(
                        Completed.class,
                        again -> assertThat(again.ending().exitStatus()).isEqualTo(3));
        assertThat(runtime.host.waiting()).isZero();
    }

    /** Nothing that fails while a command ends keeps its claim, its place or its caller. */
    @ParameterizedTest
    @CsvSource({
        "endingDetails,false", "isHeld,false", "release,false", "stop,false", "outlived,false",
        "endingDetails,true", "isHeld,true", "release,true", "stop,true", "outlived,true"
    })
    void anEndIsReportedWhateverElseFails(String step, boolean badly) throws Exception {
        StartRequest request = new StartRequest(
                new StartRequest.What.ShellText("a", "/bin/sh", false),
                null,
                null,
                false,
                DuplicatePolicy.REUSE_RUNNING,
                LONG,
                YieldWhen.NONE,
                100,
                Map.of(),
                null,
                null,
                OnExit.STOP,
                Map.of(),
                StartRequest.Wall.DEFAULT,
                false,
                false);
        runtime.steps.fail(step, badly);
        var answer = runtime.start(request);
        runtime.host.next().exits(3);

        assertThat(completed(answer).ending().exitStatus()).isEqualTo(3);
        soon().untilAsserted(() -> assertThat(runtime.live.all()).isEmpty());
        everyPlaceAndTheClaimAreFree("a");
    }

    @Test
    void aListenerThatFailsKeepsNoCommandFromEnding() throws Exception {
        runtime.changes.listen(_ -> {
            throw new IllegalStateException("a listener fails, for the test");
        });
        var answer = runtime.start(sh("a", LONG));
        runtime.host.next().exits(3);

        assertThat(completed(answer).ending().exitStatus()).isEqualTo(3);
        everyPlaceAndTheClaimAreFree("a");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anEndWhoseSaveFailsIsToldAndSavedSoonAfter(boolean badly) throws Exception {
        CommandAnswer promoted = runtime.start(sh("a", Duration.ZERO)).get(20, SECONDS);
        TaskId id = ((PromotedToTask) promoted).task().id();
        runtime.steps.fail("save", badly);
        runtime.steps.fail("save", badly);
        runtime.host.next().exits(3);

        soon().untilAsserted(() -> assertThat(runtime.tasks.find(id).status()).isEqualTo(TaskStatus.FAILED));
        soon().untilAsserted(() ->
                assertThat(runtime.store.find(id)).map(Task::status).contains(TaskStatus.FAILED));
        assertThat(runtime.live.all()).isEmpty();
        everyPlaceAndTheClaimAreFree("a");
    }

    /** A command of a former server that cannot be taken over. */
    @Test
    void anAdoptionThatFailsHoldsNothing() throws Exception {
        runtime.start(sh("a", Duration.ZERO)).get(20, SECONDS);
        FakeCommand command = runtime.host.next();
        RuntimeFixture next = runtime.restarted();
        runtime = next;
        runtime.steps.fail("adopt");
        var folder =
                (CommandHost.Folder.Running) runtime.host.folder(command.id()).orElseThrow();
        Task row = runtime.store.find(command.id()).orElseThrow();

        assertThatThrownBy(() -> next.starter.adopt(folder, row, Optional.empty()))
                .hasMessageContaining("adopt");

        assertThat(runtime.live.all()).isEmpty();
        everyPlaceAndTheClaimAreFree("a");
    }

    /** No descriptor is left, for one: what is not known of it is not made up, and the others are recovered. */
    @Test
    void aFolderThatCannotBeReadIsNotTakenForLost() throws Exception {
        runtime.start(sh("a", Duration.ZERO)).get(20, SECONDS);
        runtime.start(sh("b", Duration.ZERO)).get(20, SECONDS);
        runtime = runtime.restarted();
        runtime.steps.fail("read folder");

        assertThat(runtime.recover()).isEqualTo(new Report(1, 0, 0, 0, 1));

        assertThat(rows()).extracting(Task::status).containsOnly(TaskStatus.RUNNING);
    }

    /** It runs and has work to do: it is not stopped for want of a watch over its output. */
    @Test
    void anAdoptedCommandThatCannotBeLookedAfterGoesOn() throws Exception {
        runtime.start(sh("a", Duration.ZERO)).get(20, SECONDS);
        FakeCommand command = runtime.host.next();
        runtime = runtime.restarted();
        runtime.steps.fail("govern");
        var folder =
                (CommandHost.Folder.Running) runtime.host.folder(command.id()).orElseThrow();

        runtime.starter.adopt(folder, runtime.store.find(command.id()).orElseThrow(), Optional.empty());

        assertThat(command.stops).isEmpty();
        command.exits(3);
        soon().untilAsserted(() ->
                assertThat(runtime.store.find(command.id())).map(Task::status).contains(TaskStatus.FAILED));
    }

    private static StartRequest waitingFor(YieldWhen when) {
        return request("a", DuplicatePolicy.REUSE_RUNNING, LONG, when, null, null);
    }

    private static Completed completed(CompletableFuture<CommandAnswer> answer) throws Exception {
        return (Completed) answer.get(20, SECONDS);
    }

    private static Throwable failure(CompletableFuture<CommandAnswer> answer) {
        return catchThrowableOfType(ExecutionException.class, () -> answer.get(20, SECONDS))
                .getCause();
    }

    private List<Task> rows() {
        return runtime.store.list(everything()).tasks();
    }

    private void everyPlaceAndTheClaimAreFree(String cmd) {
        for (int i = 0; i < 4; i++) {
            String another = i == 0 ? cmd : cmd + i;
            assertThat(runtime.commands.start(sh(another, Duration.ZERO), null)).isInstanceOf(PromotedToTask.class);
        }
        Refusal full = catchThrowableOfType(Refusal.class, () -> runtime.commands.start(sh("full", LONG), null));
        assertThat(full.kind()).isEqualTo(ErrorKind.CAPACITY_EXHAUSTED);
    }

    private static TaskStore.Query everything() {
        return TaskStore.Query.newest(TaskStore.StatusFilter.ALL, 100, null);
    }
}
