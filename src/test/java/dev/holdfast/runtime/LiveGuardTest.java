package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.sh;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.HostedCommand.ReadingShell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A line for a shell is judged where the shell stands, not where its task began. */
class LiveGuardTest {
    @TempDir
    Path dataDir;

    @Test
    void aLineIsJudgedInTheFolderOfItsShell() throws Exception {
        Path kept = Files.createDirectory(dataDir.resolve("kept"));
        rules("{id: kept, match: {command: \"rm *\", workdir: \"" + kept.toRealPath()
                + "\", on: [input]}, decision: deny}");
        try (RuntimeFixture runtime = new RuntimeFixture(dataDir)) {
            runtime.start(sh("exec sh", Duration.ZERO)).get(20, SECONDS);
            FakeCommand command = runtime.host.next();
            LiveCommand live = runtime.live.find(command.id()).orElseThrow();
            byte[] line = "rm x\n".getBytes(UTF_8);

            command.shell = new ReadingShell(kept.toRealPath(), true);
            assertThatExceptionOfType(Refusal.class)
                    .isThrownBy(() -> runtime.guard.input(live, Actor.OPERATOR, line, false))
                    .withMessageContaining("(kept)");
            command.shell = new ReadingShell(dataDir.toRealPath(), true);
            assertThatNoException().isThrownBy(() -> runtime.guard.input(live, Actor.OPERATOR, line, false));
            command.exits(0);
        }
    }

    private void rules(String rule) throws IOException {
        Files.writeString(dataDir.resolve("policy.yaml"), "version: 1\nrules:\n  - " + rule + "\n");
    }
}
