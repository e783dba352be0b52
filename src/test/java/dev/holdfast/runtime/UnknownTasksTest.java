package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.LONG;
import static dev.holdfast.runtime.RuntimeFixture.inBackground;
import static dev.holdfast.runtime.RuntimeFixture.sh;
import static dev.holdfast.runtime.RuntimeFixture.soon;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What somebody is told who asks for a task that is not there. */
class UnknownTasksTest {
    private static final TaskId NOBODY = new TaskId("task_01JABCDEFGHJKMNPQRSTVWXYZ0");

    @TempDir
    Path dataDir;

    private static final Actor AGENT = new Actor("alice", Role.AGENT, Map.of(), Mode.OPEN, null);

    @AutoClose
    private RuntimeFixture runtime;

    @BeforeEach
    void open() {
        runtime = new RuntimeFixture(dataDir);
    }

    @Test
    void thatItWasForgottenForThirtyDays() throws Exception {
        FakeCommand command = task("a");
        command.exits(0);
        soon().until(() -> runtime.tasks.find(command.id()).status().ended());
        runtime.tasks.delete(command.id());

        runtime.later = Duration.ofDays(29);
        runtime.unknown.sweep();
        assertThat(details(command.id())).containsOnlyKeys("task_id", "forgotten_at");
        assertThat(ofBeginning(command.id())).isPresent();
        assertThat(runtime.unknown.forgotten(TaskIds.millisecond(command.id()), _ -> false))
                .isEmpty();
        runtime.later = Duration.ofDays(31);
        assertThat(ofBeginning(command.id())).isEmpty();
        assertThat(details(command.id())).containsOnlyKeys("task_id", "running");
        runtime.unknown.sweep();
        assertThat(runtime.store.forgotten(command.id())).isEmpty();
    }

    @Test
    void ofAnotherOwnersTaskNothingIsTold() throws Exception {
        FakeCommand operators = task("a");
        runtime.actor = AGENT;
        FakeCommand gone = task("b");
        FakeCommand runs = task("c");
        gone.exits(0);
        soon().until(() -> runtime.tasks.find(gone.id()).status().ended());
        runtime.tasks.delete(gone.id());
        assertThat(details(gone.id())).containsOnlyKeys("task_id", "forgotten_at");
        Object own = List.of(Map.of("task_id", runs.id().value(), "command", "c"));
        assertThat(details(operators.id())).containsEntry("running", own);
        assertThat(details(NOBODY)).containsEntry("running", own);

        runtime.actor = new Actor("bob", Role.AGENT, Map.of(), Mode.OPEN, null);
        assertThat(details(gone.id())).containsEntry("running", List.of()).containsOnlyKeys("task_id", "running");
        assertThat(ofBeginning(gone.id())).isEmpty();
        assertThat(details(runs.id())).isEqualTo(details(NOBODY, runs.id()));
    }

    /** A path of its files, or the journal, tells that id. */
    @Test
    void thatItEndedInItsWindow() throws Exception {
        runtime.actor = AGENT;
        var answer = inBackground(() -> runtime.startOnce("key", sh("a", LONG)));
        FakeCommand command = runtime.host.next();
        command.exits(0);
        answer.get(20, SECONDS);

        assertThat(refusal(command.id()))
                .returns(command.id() + " ended before it became a task.", Refusal::getMessage)
                .returns("All that it printed is in its answer.", Refusal::recoveryHint);
        runtime.actor = new Actor("bob", Role.AGENT, Map.of(), Mode.OPEN, null);
        assertThat(details(command.id())).isEqualTo(details(NOBODY, command.id()));
    }

    private Optional<Refusal> ofBeginning(TaskId id) {
        return runtime.unknown.forgotten(TaskIds.millisecond(id), id::equals);
    }

    /** As they are of an id that never was, but for the id. */
    private Map<String, Object> details(TaskId never, TaskId named) {
        Map<String, Object> details = new HashMap<>(details(never));
        details.put("task_id", named.value());
        return details;
    }

    /** Neither what has ended nor what is in its caller's window. */
    @Test
    void whatRunsNewestFirst() throws Exception {
        FakeCommand first = task("first");
        FakeCommand ended = task("ended");
        ended.exits(0);
        soon().until(() -> runtime.tasks.find(ended.id()).status().ended());
        FakeCommand last = task("last --token=abc");
        var waiting = runtime.start(sh("in its window", LONG));
        FakeCommand unknown = runtime.host.next();

        assertThat(details(NOBODY).get("running"))
                .isEqualTo(List.of(
                        Map.of("task_id", last.id().value(), "command", "last --token=***"),
                        Map.of("task_id", first.id().value(), "command", "first")));
        unknown.exits(0);
        waiting.get(20, SECONDS);
    }

    @Test
    void aRefusalThatTellsMoreIsLeftAsItIs() {
        Refusal other = new Refusal(ErrorKind.TASK_NOT_RUNNING, "It has ended.", "Start it again.");
        Refusal known = runtime.unknown.refusal(NOBODY);

        assertThat(runtime.unknown.completed(other)).isSameAs(other);
        assertThat(runtime.unknown.completed(known)).isSameAs(known);
        Refusal noId = new Refusal(ErrorKind.TASK_NOT_FOUND, "There is no task `x`.", "List them.");
        assertThat(runtime.unknown.completed(noId).details()).containsOnlyKeys("running");
        assertThat(runtime.unknown.completed(noId).getMessage()).isEqualTo("There is no task `x`.");
    }

    private FakeCommand task(String cmd) throws Exception {
        runtime.start(sh(cmd, Duration.ZERO)).get(20, SECONDS);
        return runtime.host.next();
    }

    private Map<String, Object> details(TaskId id) {
        return refusal(id).details();
    }

    private Refusal refusal(TaskId id) {
        return catchThrowableOfType(Refusal.class, () -> runtime.tasks.find(id));
    }
}
