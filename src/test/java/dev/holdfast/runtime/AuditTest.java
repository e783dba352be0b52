package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.LONG;
import static dev.holdfast.runtime.RuntimeFixture.inBackground;
import static dev.holdfast.runtime.RuntimeFixture.request;
import static dev.holdfast.runtime.RuntimeFixture.sh;
import static dev.holdfast.runtime.RuntimeFixture.soon;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.Journal.Action;
import dev.holdfast.runtime.port.Journal.Line;
import dev.holdfast.runtime.start.BatchAnswer.Item;
import dev.holdfast.runtime.start.BatchRequest;
import dev.holdfast.runtime.start.StartRequest.DuplicatePolicy;
import dev.holdfast.runtime.start.StartRequest.YieldWhen;
import dev.holdfast.task.CommandAnswer.PromotedToTask;
import dev.holdfast.task.Signal;
import dev.holdfast.task.TaskId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is told to the journal, and what is not done where it cannot be. */
class AuditTest {
    @TempDir
    Path dataDir;

    @AutoClose
    private RuntimeFixture runtime;

    @BeforeEach
    void open() {
        runtime = new RuntimeFixture(dataDir);
    }

    private List<String> told() {
        return runtime.journal.lines.stream()
                .map(line -> line.actor() + " " + line.action() + " " + line.detail())
                .toList();
    }

    private TaskId task(String cmd) {
        return ((PromotedToTask) runtime.commands.start(sh(cmd, Duration.ZERO), null))
                .task()
                .id();
    }

    @Test
    void aCommandThatEndsInItsWindowIsToldFromItsDecisionToItsEnd() throws Exception {
        var answer = runtime.start(sh("x PASSWORD=hidden", LONG));
        FakeCommand command = runtime.host.next();
        assertThat(told()).containsExactly("operator DECISION null", "operator START null");
        command.exits(3);
        answer.get(20, SECONDS);

        assertThat(told()).last().isEqualTo("operator END exit 3");
        assertThat(runtime.journal.lines).allSatisfy(line -> {
            assertThat(line.taskId()).isEqualTo(command.id());
            assertThat(line.cmdPreview()).startsWith("x PASSWORD=").doesNotContain("hidden");
        });
        Line decision = runtime.journal.lines.getFirst();
        assertThat(decision.decision()).isEqualTo("allow");
        assertThat(decision.classes()).containsExactly("writes");
    }

    @Test
    void whatIsDeniedIsToldAndNothingElse() {
        assertThatExceptionOfType(Refusal.class).isThrownBy(() -> runtime.commands.start(sh("rm -rf /", LONG), null));

        assertThat(runtime.journal.lines)
                .containsExactly(new Line(
                        "operator",
                        Action.DECISION,
                        null,
                        "deny",
                        "builtin.rm-root",
                        List.of("destructive"),
                        "rm -rf /",
                        null,
                        null,
                        null));
        assertThat(runtime.live.all()).isEmpty();
    }

    /** Neither its decision nor, after that, its start. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void whatCannotBeToldIsNotStarted(int toldBefore) {
        for (int i = 0; i < toldBefore; i++) {
            runtime.steps.hold("journal").open();
        }
        runtime.steps.fail("journal", new Refusal(ErrorKind.STORAGE_FULL, "full, for the test", "Wait."));

        assertThatThrownBy(() -> task("a")).hasMessageContaining("full");

        assertThat(runtime.host.waiting()).isZero();
        assertThat(runtime.live.all()).isEmpty();
        assertThat(told()).hasSize(toldBefore);
        for (String cmd : List.of("a", "b", "c", "d")) { // as many as there are places, and the claim is free
            task(cmd);
        }
    }

    @Test
    void whatCannotBeSpawnedHasEnded() {
        runtime.steps.fail("spawn");
        assertThatThrownBy(() -> task("a")).hasMessageContaining("spawn");

        assertThat(told()).containsExactly("operator DECISION null", "operator START null", "system END not started");
    }

    @Test
    void inputSignalsAndStopsAreTold() throws Exception {
        TaskId id = task("a");
        assertThatExceptionOfType(Refusal.class).isThrownBy(() -> runtime.control.input(id, new byte[1], false, false));
        runtime.control.signal(id, Signal.USR1);
        inBackground(() -> runtime.control.stop(id, Duration.ofMillis(5), false))
                .get(20, SECONDS);
        runtime.control.stop(id, LONG, true);

        assertThat(told().subList(2, told().size()))
                .containsExactly(
                        "operator SIGNAL USR1",
                        "operator STOP grace 5 ms",
                        "operator END stop SIGTERM",
                        "operator STOP force");
    }

    @Test
    void whatALimitEndsTheServerEnds() throws Exception {
        var request = request("a", DuplicatePolicy.REUSE_RUNNING, LONG, YieldWhen.NONE, null, Duration.ofMillis(1));
        runtime.start(request).get(20, SECONDS);

        assertThat(told()).endsWith("system STOP timeout", "system END timeout SIGTERM");
    }

    @Test
    void anItemOfABatchThatIsStoppedIsToldSo() {
        List<Item> items = runtime.batches
                .run(new BatchRequest(List.of(sh("rm -rf /", LONG), sh("a", Duration.ofMillis(1))), false))
                .items();

        assertThat(items).hasSize(2);
        assertThat(told())
                .containsExactly(
                        "operator DECISION null",
                        "operator DECISION null",
                        "operator START null",
                        "operator STOP grace 2000 ms",
                        "operator END stop SIGTERM");
    }

    @Test
    void whatEndsWhileNoServerRunsIsToldByTheNext() throws Exception {
        TaskId id = task("a");
        FakeCommand command = runtime.host.next();
        runtime = runtime.restarted();
        command.exits(0);
        runtime.recover();

        assertThat(told()).last().isEqualTo("operator END exit 0");
        assertThat(runtime.journal.lines.getLast().taskId()).isEqualTo(id);
        soon().until(() -> runtime.tasks.find(id).status().ended());
    }

    @Test
    void whatNobodyAskedForIsTheSystems() {
        Audit audit = new Audit(runtime.journal, () -> {
            throw new IllegalStateException("no request, for the test");
        });
        audit.signal(task("a"), Signal.TERM);

        assertThat(told()).last().isEqualTo("system SIGNAL TERM");
    }
}
