package dev.holdfast.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.HostedCommand.ReadingShell;
import dev.holdfast.runtime.port.Journal.Action;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.runtime.start.StartRequest.DuplicatePolicy;
import dev.holdfast.runtime.start.StartRequest.What;
import dev.holdfast.runtime.start.StartRequest.YieldWhen;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.Signal;
import dev.holdfast.task.TerminalSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A line for a shell is judged where the shell stands, not where its task began. */
class LiveGuardTest {
    private static final StartRequest SHELL = request("exec sh", null);

    private static StartRequest request(String cmd, @Nullable TerminalSize terminal) {
        return new StartRequest(
                new What.ShellText(cmd, "/bin/sh", false),
                null,
                terminal,
                true,
                DuplicatePolicy.REUSE_RUNNING,
                Duration.ZERO,
                YieldWhen.NONE,
                100,
                Map.of(),
                null,
                null,
                OnExit.LEAVE,
                Map.of(),
                StartRequest.Wall.DEFAULT,
                false,
                false);
    }

    @TempDir
    Path dataDir;

    @Test
    void aLineIsJudgedInTheFolderOfItsShell() throws Exception {
        Path kept = Files.createDirectory(dataDir.resolve("kept"));
        rules("{id: kept, match: {command: \"rm *\", workdir: \"" + kept.toRealPath()
                + "\", on: [input]}, decision: deny}");
        try (RuntimeFixture runtime = new RuntimeFixture(dataDir)) {
            runtime.start(SHELL).get(20, SECONDS);
            FakeCommand command = runtime.host.next();
            byte[] line = "rm x\n".getBytes(UTF_8);

            command.shell = new ReadingShell(kept.toRealPath(), true);
            assertThatExceptionOfType(Refusal.class)
                    .isThrownBy(() -> runtime.control.input(command.id(), line, false, false))
                    .withMessageContaining("(kept)");
            command.shell = new ReadingShell(dataDir.toRealPath(), true);
            assertThatNoException().isThrownBy(() -> runtime.control.input(command.id(), line, false, false));
            command.exits(0);
        }
    }

    /** The quote that an earlier write began is ended by a later one, and what stands behind it is run. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "echo 'a\n|'; touch x\n",
                "echo \"a\n|b\n|\"; touch x\n",
                "if true\n|then ls\n|'touch' x; fi\n",
                "cat <<E\n|it's\n|echo 'x\n|E\n|echo 'a\n|'; touch x\n",
                "echo ${x#it's}\n|'}\ntouch x\n",
                "read x\n|it's\ntouch x\n",
                "echo it's\n|' && touch\\\n| x\n|"
            })
    void whatEndsWhatAnEarlierWriteBeganIsJudgedWithIt(String writes) throws Exception {
        rules("{id: kept, match: {command: \"touch *\", on: [input]}, decision: deny}");
        try (RuntimeFixture runtime = new RuntimeFixture(dataDir)) {
            runtime.start(SHELL).get(20, SECONDS);
            FakeCommand command = runtime.host.next();
            command.shell = new ReadingShell(dataDir.toRealPath(), true);
            List<String> parts = List.of(writes.split("\\|"));
            parts.subList(0, parts.size() - 1).forEach(part -> type(runtime, command, part));

            assertThatExceptionOfType(Refusal.class)
                    .isThrownBy(() -> type(runtime, command, parts.getLast()))
                    .withMessageContaining("(kept)")
                    .satisfies(refusal -> assertThat(refusal.recoveryHint()).contains("in one write"));
            // Refused once, it is still open.
            assertThatExceptionOfType(Refusal.class)
                    .isThrownBy(() -> type(runtime, command, parts.getLast()))
                    .withMessageContaining("(kept)");
            command.exits(0);
        }
    }

    @Test
    void whatIsWholeIsForgotten() throws Exception {
        rules("{id: kept, match: {command: \"touch *\", on: [input]}, decision: deny}");
        try (RuntimeFixture runtime = new RuntimeFixture(dataDir)) {
            runtime.start(SHELL).get(20, SECONDS);
            FakeCommand command = runtime.host.next();
            command.shell = new ReadingShell(dataDir.toRealPath(), true);

            for (String line : List.of("echo 'a\n", "b'\n", "echo \"; touch x\"\n", "ls 'c\n", "d'\n")) {
                assertThatNoException().as(line).isThrownBy(() -> type(runtime, command, line));
            }
            command.exits(0);
        }
    }

    private static void type(RuntimeFixture runtime, FakeCommand command, String text) {
        runtime.control.input(command.id(), text.getBytes(UTF_8), false, false);
    }

    /** Nothing of it is done, and so no other line tells of it. */
    @Test
    void whatIsDeniedOfACommandThatRunsIsToldToTheJournal() throws Exception {
        rules("{id: kept, match: {on: [stop]}, decision: ask}");
        try (RuntimeFixture runtime = new RuntimeFixture(dataDir)) {
            runtime.start(SHELL).get(20, SECONDS);
            FakeCommand command = runtime.host.next();
            command.shell = new ReadingShell(dataDir.toRealPath(), true);
            byte[] line = "rm -rf / --token=hidden\n".getBytes(UTF_8);
            runtime.journal.lines.clear();
            runtime.steps.fail("journal", new Refusal(ErrorKind.STORAGE_FULL, "full, for the test", "Wait."));

            assertThatExceptionOfType(Refusal.class)
                    .isThrownBy(() -> runtime.control.input(command.id(), line, false, false))
                    .withMessageContaining("builtin.rm-root");
            assertThatExceptionOfType(Refusal.class)
                    .isThrownBy(() -> runtime.control.signal(command.id(), Signal.HUP))
                    .withMessageContaining("(kept)");
            assertThatExceptionOfType(Refusal.class)
                    .isThrownBy(() -> runtime.control.stop(command.id(), Duration.ZERO, true))
                    .withMessageContaining("(kept)");

            assertThat(runtime.journal.lines).allSatisfy(told -> {
                assertThat(told.actor()).isEqualTo("operator");
                assertThat(told.action()).isEqualTo(Action.DECISION);
                assertThat(told.taskId()).isEqualTo(command.id());
                assertThat(told.decision()).isEqualTo("deny");
                assertThat(told.cmdPreview()).isEqualTo("exec sh");
            });
            assertThat(runtime.journal.lines)
                    .extracting(told -> told.detail() + " " + told.rule() + " " + told.bytes())
                    .containsExactly("input builtin.rm-root 24", "signal HUP kept null", "stop kept null");
            command.exits(0);
        }
    }

    /** What a pager makes of a key nobody knows: `!` begins a command, `v` an editor, and no line has to end. */
    @ParameterizedTest
    @ValueSource(strings = {"!touch x\n", "!", "v", "s", "k", "/x", " v", "\u001b", "\u001b[20~", "\u001b[M !!", "é"})
    void inPlanAProgramThatIsNoShellGetsNoSuchKeys(String keys) throws Exception {
        Files.writeString(dataDir.resolve("policy.yaml"), "version: 1\nmode: plan\nrules: []\n");
        try (RuntimeFixture runtime = new RuntimeFixture(dataDir)) {
            FakeCommand command = pager(runtime);

            for (ReadingShell shell : Arrays.asList(null, new ReadingShell(dataDir.toRealPath(), false))) {
                command.shell = shell;
                assertThatExceptionOfType(Refusal.class)
                        .isThrownBy(() -> type(runtime, command, keys))
                        .withMessageContaining("(mode.plan)");
            }
            command.shell = new ReadingShell(dataDir.toRealPath(), true);
            assertThatNoException().isThrownBy(() -> type(runtime, command, keys.replace("!touch x\n", "ls\n")));
            command.exits(0);
        }
    }

    @Test
    void inPlanAPagerIsReadAndLeft() throws Exception {
        Files.writeString(dataDir.resolve("policy.yaml"), "version: 1\nmode: plan\nrules: []\n");
        try (RuntimeFixture runtime = new RuntimeFixture(dataDir)) {
            FakeCommand command = pager(runtime);

            for (String keys : List.of(
                    " \r\nq",
                    "\3\4",
                    "\u001b[A\u001bOB\u001b[6~",
                    "\u001b[12;40R\u001b[?1;2c\u001b[I",
                    " ".repeat(100_000))) {
                assertThatNoException().as(keys).isThrownBy(() -> type(runtime, command, keys));
            }
            command.exits(0);
        }
    }

    private static FakeCommand pager(RuntimeFixture runtime) throws Exception {
        runtime.start(request("less x", new TerminalSize(24, 80))).get(20, SECONDS);
        return runtime.host.next();
    }

    private void rules(String rule) throws IOException {
        Files.writeString(dataDir.resolve("policy.yaml"), "version: 1\nrules:\n  - " + rule + "\n");
    }
}
