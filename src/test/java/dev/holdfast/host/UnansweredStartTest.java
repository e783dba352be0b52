package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.Exit;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A keeper that went away, or hung, before it told whether it had started a terminal. */
class UnansweredStartTest {
    private final Refusal unanswered =
            new Refusal(ErrorKind.COMMAND_SPAWN_FAILED, "the keeper went away before it answered", "Try again.");

    @TempDir
    Path folder;

    private HostFixture fixture;

    @BeforeEach
    void begin() throws Exception {
        fixture = new HostFixture(folder);
        fixture.host.close();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void whatRanIsToldAsEndedAndNotAsRefused() throws Exception {
        Path ran = fixture.workdir.resolve("ran");
        fixture.host = fixture.with(fixture.data, new Unanswered() {
            @Override
            void begin(ProcessBuilder launcher) throws IOException {
                launcher.start();
                await().until(() -> Files.exists(ran));
            }
        });

        HostedCommand command = fixture.host.start(fixture.inTerminal("echo x >>ran; sleep 600"));

        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Unseen(false));
        assertThat(command.endingDetails()).isEqualTo(HostedProcess.OUTPUT_MAY_BE_MISSING);
        assertThat(HostFixture.marked(command.id())).isEmpty();
        assertThat(fixture.folder(command).spec()).exists();
    }

    @Test
    void whatNeverRanIsRefused() {
        fixture.host = fixture.with(fixture.data, new Unanswered() {
            @Override
            void begin(ProcessBuilder launcher) {}
        });

        assertThatThrownBy(() -> fixture.host.start(fixture.inTerminal("echo x >>ran")))
                .isSameAs(unanswered);
        assertThat(fixture.data.resolve("tasks")).isEmptyDirectory();
    }

    /** The hang-up had ended its launcher before anybody saw that it had lost its terminal. */
    @Test
    void whatACommandLeftThatHadLostItsTerminalIsEnded() throws Exception {
        fixture.host = fixture.with(fixture.data, new Unanswered() {
            @Override
            void begin(ProcessBuilder launcher) throws IOException {
                launcher.start();
            }

            @Override
            public void start(Launch launch, Path folder, List<String> launcherArgv) {
                assertThatThrownBy(() -> super.start(launch, folder, launcherArgv))
                        .isSameAs(unanswered);
            }

            @Override
            public void onRelease(TaskId id, Runnable action) {}
        });

        HostedCommand command = fixture.host.start(fixture.inTerminal("setsid sleep 600 & exit 0"));

        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Unseen(false));
        assertThat(HostFixture.marked(command.id())).isEmpty();
    }

    private abstract class Unanswered extends HostFixture.NoTerminals {
        abstract void begin(ProcessBuilder launcher) throws IOException;

        @Override
        public void start(Launch launch, Path folder, List<String> launcherArgv) {
            ProcessBuilder launcher = new ProcessBuilder(launcherArgv)
                    .directory(launch.command().workdir().toFile())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD);
            launcher.environment().clear();
            launcher.environment().putAll(launch.environment());
            try {
                begin(launcher);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
            throw unanswered;
        }

        @Override
        public boolean drained(TaskId id) {
            return false;
        }

        @Override
        public void onRelease(TaskId id, Runnable action) {
            action.run();
        }
    }
}
