package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.Exit;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.Signal;
import dev.holdfast.task.StreamName;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandStreamsTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final byte[] NONE = {};

    @TempDir
    Path folder;

    @AutoClose
    private HostFixture fixture;

    @BeforeEach
    void begin() throws Exception {
        fixture = new HostFixture(folder);
    }

    @Test
    void outputGoesWholeAndStraightIntoItsFiles() throws Exception {
        HostedCommand command = fixture.sh("seq 1 300000; echo 'ü to err' >&2; echo last");
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(0));
        List<String> lines = fixture.out(command).lines().toList();
        assertThat(lines).hasSize(300_001).endsWith("300000", "last");
        assertThat(fixture.err(command)).isEqualTo("ü to err\n");
    }

    @Test
    void withoutInputStdinIsAtItsEndFromTheStart() throws Exception {
        HostedCommand command = fixture.sh("cat; read x; echo $?");
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(0));
        assertThat(fixture.out(command)).isEqualTo("1\n");
        assertThat(command.write("x".getBytes(StandardCharsets.UTF_8), true, LIMIT))
                .isZero();
    }

    @Test
    void inputArrivesAndItsEndIsSeen() throws Exception {
        HostedCommand command = fixture.shWithInput("cat; echo end");
        assertThat(command.write("one\n".getBytes(StandardCharsets.UTF_8), false, LIMIT))
                .isEqualTo(4);
        await().until(() -> fixture.out(command).equals("one\n"));
        assertThat(command.exit()).isNotDone();
        assertThat(command.write("two\n".getBytes(StandardCharsets.UTF_8), true, LIMIT))
                .isEqualTo(4);
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(0));
        assertThat(fixture.out(command)).isEqualTo("one\ntwo\nend\n");
    }

    @Test
    void afterTheEndOfInputNothingIsTaken() throws Exception {
        HostedCommand command = fixture.shWithInput("cat; sleep 60");
        assertThat(command.write(NONE, true, LIMIT)).isZero();
        assertThat(command.write("late".getBytes(StandardCharsets.UTF_8), false, LIMIT))
                .isZero();
        assertThat(command.write(NONE, true, LIMIT)).isZero();
        command.signal(Signal.KILL);
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Signalled("SIGKILL"));
    }

    @Test
    void aLargeInputIsTakenWholeByAReader() throws Exception {
        HostedCommand command = fixture.shWithInput("wc -c");
        byte[] bytes = new byte[10_000_000];
        assertThat(command.write(bytes, true, Duration.ofSeconds(20))).isEqualTo(bytes.length);
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(0));
        assertThat(fixture.out(command)).isEqualTo("10000000\n");
    }

    @Test
    void whatDoesNotReadTakesAMebibyteAndHoldsNothingUp() throws Exception {
        HostedCommand command = fixture.shWithInput("echo up; sleep 60");
        await().until(() -> fixture.out(command).equals("up\n"));
        long begun = System.nanoTime();
        int taken = command.write(new byte[10_000_000], true, Duration.ofMillis(300));
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isBetween(Duration.ofMillis(290), LIMIT);
        assertThat(taken).isBetween(65_536, 1 << 20);
        Thread writer = Thread.ofVirtual().start(() -> command.write(new byte[10], false, Duration.ofSeconds(30)));
        command.signal(Signal.TERM);
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Signalled("SIGTERM"));
        assertThat(writer.join(LIMIT)).isTrue();
    }

    @Test
    void whoWaitsNoLongerIsToldWhatWasTaken() throws Exception {
        HostedCommand command = fixture.shWithInput("echo up; sleep 60");
        await().until(() -> fixture.out(command).equals("up\n"));
        Patience patience = new Patience();
        CompletableFuture<Integer> taken = CompletableFuture.supplyAsync(
                () -> patience.during(() -> command.write(new byte[10_000_000], true, Duration.ofMinutes(10))),
                Thread::startVirtualThread);
        await().until(() -> command.write(new byte[10], false, Duration.ofMillis(50)) == 0);
        assertThat(taken).isNotDone();

        patience.end();

        assertThat(taken.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isBetween(65_536, 1 << 20);
        assertThat(command.inputEnded()).isFalse();
    }

    @Test
    void aReaderThatIsGoneTakesNoMore() throws Exception {
        HostedCommand command = fixture.shWithInput("exec <&-; echo closed; sleep 60");
        await().until(() -> fixture.out(command).equals("closed\n"));
        long begun = System.nanoTime();
        assertThat(command.write(new byte[100], false, LIMIT)).isZero();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LIMIT.dividedBy(2));
    }

    @Test
    void inputSurvivesItsServer() throws Exception {
        HostedCommand before = fixture.shWithInput("cat");
        assertThat(before.write("one\n".getBytes(StandardCharsets.UTF_8), false, LIMIT))
                .isEqualTo(4);
        HostedCommand after = fixture.adoptedByAnother(before.id());
        assertThat(after.write("two\n".getBytes(StandardCharsets.UTF_8), true, LIMIT))
                .isEqualTo(4);
        assertThat(HostFixture.end(after)).isEqualTo(new Exit.Code(0));
        assertThat(fixture.out(after)).isEqualTo("one\ntwo\n");
    }

    @Test
    void theHolderOfStdinLeavesWithTheCommand() throws Exception {
        HostedCommand command = fixture.shWithInput("true");
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(0));
        await().until(() -> HostFixture.marked(command.id()).isEmpty());
    }

    @Test
    void aCommandGetsItsEnvironmentAndNoDescriptorButThree() throws Exception {
        Map<String, String> environment = Map.of(
                "PLAIN", "a b\nc", "with.dot", "dotted", "npm-like_x", "dashed", "BASH_FUNC_f%%", "() {  echo f; }");
        Invocation.Program program = new Invocation.Program(List.of("env", "-0"));
        HostedCommand command = fixture.host.start(fixture.launch(program, false, environment));
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(0));
        List<String> seen = List.of(fixture.out(command).split("\0"));
        assertThat(seen)
                .contains(
                        "PLAIN=a b\nc",
                        "with.dot=dotted",
                        "npm-like_x=dashed",
                        "BASH_FUNC_f%%=() {  echo f; }",
                        "HOLDFAST_TASK=" + command.id(),
                        "PATH=/usr/bin:/bin")
                .noneMatch(variable -> variable.startsWith("HOLDFAST_ENV_") || variable.startsWith("OLDPWD="));

        HostedCommand plain = fixture.program("ls", "/proc/self/fd");
        HostFixture.end(plain);
        assertThat(fixture.out(plain)).isEqualTo("0\n1\n2\n3\n");
        HostedCommand input = fixture.host.start(
                fixture.launch(new Invocation.Program(List.of("ls", "/proc/self/fd")), true, Map.of()));
        HostFixture.end(input);
        assertThat(fixture.out(input)).isEqualTo("0\n1\n2\n3\n");
    }

    /** As one that a shell would drop, or change, or that would change its shell or the loader of that. */
    @ParameterizedTest
    @CsvSource({
        "OPTIND, abc",
        "OPTIND, ''",
        "OPTIND, 4",
        "IFS, x",
        "PPID, 3",
        "LINENO, 7",
        "PWD, /x",
        "OLDPWD, /x",
        "SHLVL, 5",
        "PS4, x",
        "s, hello",
        "w, hello",
        "LD_LIBRARY_PATH, /x",
        "SHELLOPTS, xtrace",
        "BASH_XTRACEFD, 9",
        "HOLDFAST_ENV_0, x",
        "HOLDFAST_ENV_1, x",
        "-u, x"
    })
    void aVariableArrivesAsItIsWhateverItIsToAShell(String name, String value) throws Exception {
        Map<String, String> environment = Map.of(name, value, "PATH", "/nowhere", "a.b", "\u0081\u0088 'x'\n");
        Invocation.Program program = new Invocation.Program(List.of("/usr/bin/env", "-0"));
        HostedCommand command = fixture.host.start(fixture.launch(program, false, environment));
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(0));
        assertThat(fixture.out(command).split("\0", -1))
                .contains(name + "=" + value, "PATH=/nowhere", "a.b=\u0081\u0088 'x'\n");
        assertThat(fixture.err(command)).isEmpty();
    }

    /** Which a shell sets itself. */
    @Test
    void aFolderThatWasUnsetIsNotInTheEnvironment() throws Exception {
        Launch launch = fixture.launch(new Invocation.Program(List.of("env")), false, Map.of("PWD", ""));
        HostedCommand command = fixture.host.start(launch.withEnvironment(Map.of("PATH", "/usr/bin")));
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(0));
        assertThat(fixture.out(command)).contains("PATH=").doesNotContain("PWD=");
    }

    @Test
    void argumentsArriveAsTheyAre() throws Exception {
        HostedCommand command = fixture.program("printf", "%s|", "", "a b", "$HOME", "*", "x\ny", "--", "'\"");
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(0));
        assertThat(fixture.out(command)).isEqualTo("|a b|$HOME|*|x\ny|--|'\"|");
    }

    @Test
    void theFolderIsForTheOwnerAloneAndHoldsNoValues() throws Exception {
        HostedCommand command = fixture.host.start(
                fixture.launch(new Invocation.Program(List.of("true")), false, Map.of("SECRET", "do-not-store-me")));
        HostFixture.end(command);
        TaskFolder task = fixture.folder(command);
        assertThat(Files.getAttribute(task.path(), "unix:mode")).isEqualTo(040700);
        assertThat(Files.getAttribute(task.output(StreamName.STDOUT), "unix:mode"))
                .isEqualTo(0100600);
        try (var files = Files.list(task.path())) {
            assertThat(files).allSatisfy(file -> assertThat(file).content().doesNotContain("do-not-store-me"));
        }
    }

    @Test
    void manyCommandsLeakNoDescriptorAndNoThread() throws Exception {
        run(20);
        long descriptors = descriptors();
        int threads = Thread.activeCount();
        run(100);
        assertThat(descriptors()).isLessThanOrEqualTo(descriptors + 4);
        assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads + 1);
    }

    private void run(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            HostedCommand command = i % 5 == 0 ? fixture.shWithInput("true") : fixture.program("true");
            assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(0));
        }
    }

    private static long descriptors() throws Exception {
        try (var list = Files.list(Path.of("/proc/self/fd"))) {
            return list.count();
        }
    }
}
