package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.control.Terminals;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.runtime.start.StartRequest.DuplicatePolicy;
import dev.holdfast.runtime.start.StartRequest.What;
import dev.holdfast.runtime.start.StartRequest.YieldWhen;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.Preview;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalScreen;
import dev.holdfast.task.TerminalSize;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose screen is shown where output is. */
class ShownScreensTest {
    private static final TerminalSize SIZE = new TerminalSize(2, 20);

    @TempDir
    Path dataDir;

    @AutoClose
    private RuntimeFixture server;

    @BeforeEach
    void open() {
        server = new RuntimeFixture(dataDir);
    }

    private Preview shown(@Nullable TerminalSize size, boolean usedAlternate) throws Exception {
        var answer = server.start(new StartRequest(
                new What.ShellText("it", "/bin/sh", false),
                null,
                size,
                false,
                DuplicatePolicy.START_NEW,
                RuntimeFixture.LONG,
                YieldWhen.NONE,
                100,
                Map.of(),
                null,
                null,
                OnExit.LEAVE,
                Map.of(),
                StartRequest.Wall.DEFAULT,
                false,
                false));
        FakeCommand command = server.host.next();
        server.host.screens.put(command.id(), screen(usedAlternate));
        command.exits(0);
        return ((CommandAnswer.Completed) answer.get()).preview();
    }

    private static TerminalScreen screen(boolean usedAlternate) {
        return new TerminalScreen(SIZE, 0, 0, true, List.of("screen", ""), "", false, usedAlternate, true, "");
    }

    @Test
    void thatOfATerminalWhichWasDrawnOnAsAWhole() throws Exception {
        assertThat(shown(SIZE, true)).isEqualTo(new Preview("screen", null, false));
        assertThat(shown(SIZE, false)).isEqualTo(Preview.EMPTY);
        assertThat(shown(null, true)).isEqualTo(Preview.EMPTY);
    }

    @Test
    void aTaskWithoutATerminalHasNone() throws Exception {
        var answer = server.start(RuntimeFixture.sh("it", Duration.ZERO));
        TaskId id = server.host.next().id();
        answer.get();
        Terminals terminals = new Terminals(
                server.caller, server.tasks, server.control, server.outputs, server.host, server.guard, server.audit);
        assertThatThrownBy(() -> terminals.screen(id))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.NOT_A_TERMINAL));
    }
}
