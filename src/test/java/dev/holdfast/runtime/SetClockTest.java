package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.task.CommandAnswer.Completed;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody sets the machine's clock back while a command runs. */
class SetClockTest {
    @TempDir
    Path dataDir;

    @Test
    void itRanNoLessThanNothing() throws Exception {
        RuntimeFixture server = new RuntimeFixture(dataDir);
        var answer = server.start(RuntimeFixture.sh("it", RuntimeFixture.LONG));
        FakeCommand command = server.host.next();
        server.later = Duration.ofHours(-1);
        command.exits(0);

        assertThat(((Completed) answer.get()).duration()).isZero();
        server.close();
    }
}
