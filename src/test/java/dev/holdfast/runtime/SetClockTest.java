package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.sh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.task.CommandAnswer.Completed;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody sets the machine's clock. */
class SetClockTest {
    @TempDir
    Path dataDir;

    private RuntimeFixture server;

    @BeforeEach
    void open() {
        server = new RuntimeFixture(dataDir);
    }

    @AfterEach
    void close() {
        server.close();
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
}
