package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.sh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.task.CommandAnswer.Completed;
import dev.holdfast.task.CommandAnswer.PromotedToTask;
import dev.holdfast.task.TaskId;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody sets the machine's clock. */
class SetClockTest {
    @TempDir
    Path dataDir;

    @AutoClose
    private RuntimeFixture server;

    @BeforeEach
    void open() {
        server = new RuntimeFixture(dataDir);
    }

    @Test
    void itRanAsLongAsItDid() throws Exception {
        var answer = server.start(sh("it", RuntimeFixture.LONG));
        FakeCommand command = server.host.next();
        command.age = Duration.ofSeconds(8);
        server.later = Duration.ofHours(-1);
        command.exits(0);

        assertThat(((Completed) answer.get()).duration()).isEqualTo(command.age);
    }

    @Test
    void whatIsStartedAfterARestartIsNewer() throws Exception {
        TaskId before = ended("before");
        server = server.restarted();
        server.later = Duration.ofHours(-1);
        server.recover();

        assertThat(ended("after")).isGreaterThan(before);
    }

    /** Ids go on from where the clock was. */
    @Test
    void whatEndedSinceIsForgottenWhenItIsOld() throws Exception {
        server.later = Duration.ofDays(30);
        ended("ahead");
        server.later = Duration.ZERO;
        TaskId id = ended("now");
        server.later = Duration.ofDays(6);
        server.retention.sweep();
        assertThat(server.store.find(id)).isPresent();

        server.later = Duration.ofDays(8);
        server.retention.sweep();
        assertThat(server.store.find(id)).as("the clock may be set back").isPresent();
        server.retention.sweep();

        assertThat(server.store.find(id)).isEmpty();
    }

    @Test
    void aClockThatIsWrongForAMomentForgetsNothing() throws Exception {
        TaskId id = ended("kept");
        server.retention.sweep();
        server.later = Duration.ofDays(365);
        server.retention.sweep();
        server.later = Duration.ZERO;
        server.retention.sweep();

        assertThat(server.store.find(id)).isPresent();
    }

    private TaskId ended(String cmd) throws Exception {
        PromotedToTask task =
                (PromotedToTask) server.start(sh(cmd, Duration.ZERO)).get();
        server.host.next().exits(0);
        TaskId id = task.task().id();
        RuntimeFixture.soon()
                .until(() -> server.store.find(id).orElseThrow().status().ended());
        return id;
    }
}
