package dev.holdfast.task;

import static dev.holdfast.task.TaskStatus.CANCELLED;
import static dev.holdfast.task.TaskStatus.CANCELLING;
import static dev.holdfast.task.TaskStatus.COMPLETED;
import static dev.holdfast.task.TaskStatus.FAILED;
import static dev.holdfast.task.TaskStatus.INTERRUPTED;
import static dev.holdfast.task.TaskStatus.QUEUED;
import static dev.holdfast.task.TaskStatus.RUNNING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The matrix: every status, every event, every ending; each cell written out here and not taken from the code. */
class TaskLifecycleTest {
    private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00.000Z");
    private static final Instant STARTED = Instant.parse("2026-01-01T00:00:01.000Z");
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:02.000Z");
    private static final List<TaskStatus> UNFINISHED = List.of(QUEUED, RUNNING, CANCELLING);

    /** The whole outcome space: who ended it, and each way it can have exited. */
    private static Stream<Ending> endings() {
        return Stream.of(EndedBy.values())
                .flatMap(by -> Stream.of(
                        ending(by, 0, null),
                        ending(by, 1, null),
                        ending(by, 137, null),
                        ending(by, 255, null),
                        ending(by, null, "SIGTERM"),
                        ending(by, null, "SIGKILL"),
                        ending(by, null, null)));
    }

    private static Ending ending(EndedBy by, @Nullable Integer status, @Nullable String signal) {
        return new Ending(by, status, signal, Map.of("fact", "kept"));
    }

    private static Stream<Arguments> everyEndingOfEveryUnfinishedStatus() {
        return UNFINISHED.stream().flatMap(status -> endings().map(ending -> Arguments.of(status, ending)));
    }

    private static Stream<Arguments> everyEventOfEveryEndedStatus() {
        return Stream.of(COMPLETED, FAILED, CANCELLED, INTERRUPTED)
                .flatMap(status -> Stream.concat(
                                Stream.of(
                                        new TaskEvent.Spawned(),
                                        new TaskEvent.Promoted(),
                                        new TaskEvent.StopRequested()),
                                endings().map(TaskEvent.Ended::new))
                        .map(event -> Arguments.of(status, event)));
    }

    /** The table of the contract's section 5, for a task that nobody asked to stop. */
    private static TaskStatus statusAfter(Ending ending) {
        return switch (ending.endedBy().name()) {
            case "EXIT" -> ending.exitStatus() != null && ending.exitStatus() == 0 ? COMPLETED : FAILED;
            case "STOP" -> CANCELLED;
            case "REBOOT", "UNKNOWN" -> INTERRUPTED;
            default -> FAILED;
        };
    }

    @Test
    void theMatrixNamesEveryStatusAndEveryReasonToEnd() {
        assertThat(TaskStatus.values())
                .containsExactly(QUEUED, RUNNING, CANCELLING, COMPLETED, FAILED, CANCELLED, INTERRUPTED);
        assertThat(EndedBy.values())
                .extracting(Enum::name)
                .containsExactly(
                        "EXIT", "SIGNAL", "STOP", "TIMEOUT", "IDLE_TIMEOUT", "OUTPUT_LIMIT", "REBOOT", "UNKNOWN");
        assertThat(TaskEvent.class.getPermittedSubclasses()).hasSize(4);
        assertThat(Stream.of(TaskStatus.values())
                        .filter(status -> !status.ended())
                        .toList())
                .isEqualTo(UNFINISHED);
    }

    @ParameterizedTest
    @MethodSource("everyEndingOfEveryUnfinishedStatus")
    void anEndingDecidesTheStatus(TaskStatus from, Ending ending) {
        Task before = task(from);

        Task after = TaskLifecycle.apply(before, new TaskEvent.Ended(ending), NOW);

        boolean stopping = from == CANCELLING;
        assertThat(after.status()).isEqualTo(stopping ? CANCELLED : statusAfter(ending));
        assertThat(after.ending()).isEqualTo(stopping ? ending.by(EndedBy.STOP) : ending);
        assertThat(after.endedAt()).isEqualTo(NOW);
        assertThat(after.updatedAt()).isEqualTo(NOW);
        assertThat(after.startedAt()).isEqualTo(before.startedAt());
        assertThat(after.promotedAt()).isEqualTo(before.promotedAt());
        assertThat(after.version()).isEqualTo(before.version());
    }

    @ParameterizedTest
    @MethodSource("everyEventOfEveryEndedStatus")
    void anEndedTaskNeverChanges(TaskStatus from, TaskEvent event) {
        Task before = task(from);

        assertThat(TaskLifecycle.apply(before, event, NOW)).isSameAs(before);
    }

    @ParameterizedTest
    @EnumSource(
            value = TaskStatus.class,
            names = {"QUEUED", "CANCELLING"})
    void aSpawnStartsIt(TaskStatus from) {
        Task after = TaskLifecycle.apply(task(from), new TaskEvent.Spawned(), NOW);

        assertThat(after.status()).isEqualTo(from == QUEUED ? RUNNING : CANCELLING);
        assertThat(after.startedAt()).isEqualTo(NOW);
        assertThat(after.updatedAt()).isEqualTo(NOW);
        assertThat(after.endedAt()).isNull();
        assertThat(after.ending()).isNull();
    }

    @Test
    void aRunningTaskCannotStartAgain() {
        Task running = task(RUNNING);

        assertThatThrownBy(() -> TaskLifecycle.apply(running, new TaskEvent.Spawned(), NOW))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(running.id().value());
    }

    @ParameterizedTest
    @EnumSource(
            value = TaskStatus.class,
            names = {"QUEUED", "RUNNING", "CANCELLING"})
    void aPromotionLeavesTheStatusAndHappensOnce(TaskStatus from) {
        Task promoted = TaskLifecycle.apply(task(from), new TaskEvent.Promoted(), NOW);

        assertThat(promoted.status()).isEqualTo(from);
        assertThat(promoted.promotedAt()).isEqualTo(NOW);
        assertThat(promoted.updatedAt()).isEqualTo(NOW);
        assertThat(TaskLifecycle.apply(promoted, new TaskEvent.Promoted(), NOW.plusSeconds(1)))
                .isSameAs(promoted);
    }

    @ParameterizedTest
    @EnumSource(
            value = TaskStatus.class,
            names = {"QUEUED", "RUNNING", "CANCELLING"})
    void aStopCancels(TaskStatus from) {
        Task after = TaskLifecycle.apply(task(from), new TaskEvent.StopRequested(), NOW);

        assertThat(after.status()).isEqualTo(CANCELLING);
        assertThat(after.startedAt()).isEqualTo(task(from).startedAt());
        assertThat(after.endedAt()).isNull();
        assertThat(after.ending()).isNull();
    }

    @ParameterizedTest
    @EnumSource(TaskStatus.class)
    void nothingChangesWhatTheTaskIs(TaskStatus from) {
        Task before = task(from);
        for (TaskEvent event : List.of(
                new TaskEvent.Promoted(),
                new TaskEvent.StopRequested(),
                new TaskEvent.Ended(ending(EndedBy.EXIT, 0, null)))) {
            Task after = TaskLifecycle.apply(before, event, NOW);

            assertThat(after.id()).isEqualTo(before.id());
            assertThat(after.command()).isEqualTo(before.command());
            assertThat(after.createdAt()).isEqualTo(before.createdAt());
        }
    }

    private static Task task(TaskStatus status) {
        Instant started = status == QUEUED ? null : STARTED;
        Ending how = status.ended() ? ending(EndedBy.EXIT, 7, null) : null;
        Instant ended = status.ended() ? STARTED : null;
        TaskId id = new TaskId("task_01ARZ3NDEKTSV4RRFFQ69G5FAV");
        return new Task(id, command(), status, CREATED, started, null, CREATED, ended, how, 5);
    }

    private static CommandSpec command() {
        var shell = new Invocation.ShellText("true", "/bin/sh", false);
        return new CommandSpec(
                shell,
                Path.of("/"),
                null,
                false,
                List.of(),
                null,
                null,
                OnExit.LEAVE,
                Map.of("who", "matrix"),
                null,
                null);
    }
}
