package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.holdfast.kernel.Names;
import dev.holdfast.kernel.ProcessExits;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.Exit;
import dev.holdfast.task.Invocation;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpawnFailureTest {
    private static final boolean TELLS_OF_OTHERS = tellsOfOthers();

    @TempDir
    Path folder;

    private HostFixture fixture;

    @BeforeEach
    void begin() throws Exception {
        fixture = new HostFixture(folder);
    }

    @AfterEach
    void close() {
        assertThat(fixture.data.resolve("tasks")).isEmptyDirectory();
        fixture.close();
    }

    @Test
    void aProgramThatIsNotThere() {
        assertThat(refused("no-such-program"))
                .hasMessageContaining("no-such-program")
                .hasMessageContaining("PATH");
        assertThat(refused("./none")).hasMessageContaining("does not exist");
        assertThat(refused("/none/at/all")).hasMessageContaining("does not exist");
        assertThat(refused("")).hasMessageContaining("not in the command's PATH");
        assertThat(refused("curl -u bob:abc x")).hasMessageContaining("\"curl …\" is not in the command's PATH");
        assertThat(refused("https://me:abc@h/x")).hasMessageContaining("The program https:… does not exist");
        assertThat(refused("DB_PASSWORD=a/b")).hasMessageContaining("The program DB_PASSWORD=… does not exist");
    }

    @Test
    void aProgramIsLookedUpInTheCommandsOwnPath() throws Exception {
        Path bin = Files.createDirectory(fixture.workdir.resolve("bin"));
        Path tool = Files.writeString(bin.resolve("tool"), "#!/bin/sh\necho tool\n");
        Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(refused("tool")).hasMessageContaining("not in the command's PATH (/usr/bin:/bin)");
        Launch launch = fixture.launch(new Invocation.Program(List.of("tool")), false, Map.of("PATH", "bin"));
        HostedCommand command = fixture.host.start(launch);
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(0));
        fixture.host.forget(command.id());
    }

    @Test
    void aFileThatCannotRun() throws Exception {
        Files.writeString(fixture.workdir.resolve("text"), "text");
        assertThat(refused("./text").recoveryHint()).contains("chmod");
        assertThat(refused("/usr")).hasMessageContaining("is a directory");
    }

    /** To look into one would wait for a writer, for ever. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aPipeThatIsExecutable() throws Exception {
        Path pipe = fixture.workdir.resolve("pipe");
        Names.fifo(pipe);
        Files.setPosixFilePermissions(pipe, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(refused("./pipe"))
                .hasMessageContaining("is not a regular file")
                .satisfies(refusal -> assertThat(refusal.recoveryHint()).doesNotContain("chmod"));
    }

    @ParameterizedTest
    @CsvSource({
        "#!/nope/interp, '/nope/interp, that does not exist'",
        "#! /nope/interp -x, '/nope/interp, that does not exist'",
        "#!bin/interp, 'bin/interp, that does not exist'",
        "#!/usr, '/usr, that is a directory'",
    })
    void aScriptWithoutItsInterpreter(String first, String problem) throws Exception {
        assertThat(refused(script(first + "\necho\n"))).hasMessageContaining("/script has an interpreter, " + problem);
    }

    @Test
    void aScriptWithLinesOfWindows() throws Exception {
        Refusal refusal = refused(script("#!/bin/sh\r\necho\r\n"));
        assertThat(refusal).hasMessageContaining("CR LF");
        assertThat(refusal.recoveryHint()).startsWith("Take the carriage returns out: sed -i 's/\\r$//' ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"#!/bin/sh -e\n", "#! /bin/sh\n", "#!/bin/sh", "#!\n", "echo", "echo\n\0\n", ""})
    void aScriptThatRuns(String text) throws Exception {
        Launch launch = fixture.launch(new Invocation.Program(List.of(script(text))), false, Map.of());
        HostedCommand command = fixture.host.start(launch);
        assertThat(HostFixture.end(command)).isInstanceOf(Exit.Code.class);
        fixture.host.forget(command.id());
    }

    /** Where others may run them the kernel is to say. */
    @ParameterizedTest
    @CsvSource({"18, 0x2c, for another kind of machine", "5, 2, for another kind of machine"})
    void aProgramForAnotherMachine(int at, int value, String problem) throws Exception {
        byte[] program = Files.readAllBytes(Path.of("/bin/true"));
        program[at] = (byte) value;
        String file = program(program);
        if (TELLS_OF_OTHERS) {
            assertThat(refused(file)).hasMessageContaining(problem);
            Launch launch = fixture.launch(new Invocation.ShellText("true", file, false), false, Map.of());
            assertThat(refused(launch)).hasMessageContaining(problem);
            assertThat(refused(program(new byte[300]))).hasMessageContaining("binary file in no format");
        }
    }

    @Test
    void aProgramThatIsNone() throws Exception {
        byte[] program = Files.readAllBytes(Path.of("/bin/true"));
        assertThat(refused(program(Arrays.copyOf(program, 100)))).hasMessageContaining("cut off");
        program[16] = 1;
        assertThat(refused(program(program))).hasMessageContaining("an object file");
    }

    @Test
    void aProgramWithoutItsLoader() throws Exception {
        byte[] program = Files.readAllBytes(Path.of("/bin/true"));
        String text = new String(program, StandardCharsets.ISO_8859_1);
        program[text.indexOf("/ld-linux") + 1] = 'x';
        String file = program(program);
        assertThat(refused(file)).hasMessageMatching(".* has an interpreter, /lib.*/xd-linux.*, that does not exist");
        Launch launch = fixture.launch(new Invocation.ShellText("true", file, false), false, Map.of());
        assertThat(refused(launch)).hasMessageContaining("that does not exist");
    }

    /** As a shell looks for one. */
    @Test
    void aProgramThatRunsIsFoundBehindOneThatDoesNot() throws Exception {
        Path script = fixture.workdir.resolve(script("#!/nope\n"));
        Files.move(script, script.resolveSibling("true"));
        Map<String, String> path = Map.of("PATH", fixture.workdir + ":/usr/bin:/bin");
        HostedCommand command =
                fixture.host.start(fixture.launch(new Invocation.Program(List.of("true")), false, path));
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(0));
        fixture.host.forget(command.id());
    }

    private String script(String text) throws IOException {
        return program(text.getBytes(StandardCharsets.UTF_8));
    }

    private String program(byte[] content) throws IOException {
        Path script = Files.write(fixture.workdir.resolve("script"), content);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        return "./script";
    }

    @Test
    void aShellThatIsMissing() {
        Launch launch = fixture.launch(new Invocation.ShellText("true", "/bin/none", true), false, Map.of());
        assertThat(refused(launch)).hasMessageContaining("/bin/none does not exist");
    }

    @Test
    void aWorkdirThatVanished() throws Exception {
        Files.delete(fixture.workdir);
        Launch launch = fixture.launch(new Invocation.Program(List.of("true")), false, Map.of());
        Refusal refusal = catchThrowableOfType(Refusal.class, () -> fixture.host.start(launch));
        assertThat(refusal.kind()).isEqualTo(ErrorKind.WORKDIR_NOT_FOUND);
    }

    /** Somebody took it away: that has nothing to do with where the command would run. */
    @Test
    void whereThereIsNoPlaceForItsFolder() throws Exception {
        Path tasks = fixture.data.resolve("tasks");
        Files.delete(tasks);
        Refusal refusal = refused("true");
        Files.createDirectory(tasks);

        assertThat(refusal)
                .hasMessageStartingWith("The command could not be put on record in " + tasks + ": ")
                .hasMessageEndingWith("no such file or directory");
        assertThat(refusal.recoveryHint()).contains("that folder").doesNotContain("working directory");
    }

    @Test
    void anArgumentOrAnEnvironmentThatIsTooLong() {
        assertThat(refused("echo", "x".repeat(128 * 1024)).recoveryHint()).contains("file");
        assertThat(refused("echo", "ü".repeat(64 * 1024))).hasMessageContaining("128 KiB");
        Map<String, String> environment = new HashMap<>();
        for (int i = 0; i < 60; i++) {
            environment.put("V" + i, "x".repeat(120_000));
        }
        Launch launch = fixture.launch(new Invocation.Program(List.of("true")), false, environment);
        assertThat(refused(launch)).hasMessageContaining("too long for the kernel");
    }

    @Test
    void textThatNoProgramCanBeGiven() {
        assertThat(refused("echo", "a\0b")).hasMessageContaining("NUL");
        assertThat(refused("echo", "a\ud800b")).hasMessageContaining("surrogate");
        Launch launch = fixture.launch(new Invocation.Program(List.of("true")), false, Map.of("A=B", "c"));
        assertThat(refused(launch)).hasMessageContaining("A=B");
    }

    /** Nobody would hear of its end: the server stops, or no thread can be had to watch it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCommandThatCannotBeWatchedIsEnded(boolean noEvents) {
        if (noEvents) {
            fixture.events.close();
        } else {
            fixture.host.close();
        }
        Launch launch = fixture.launch(new Invocation.Program(List.of("sleep", "300")), false, Map.of());

        assertThat(refused(launch)).hasMessageContaining("was ended");

        await().until(() -> HostFixture.marked(launch.id()).isEmpty());
    }

    /** Not in a container, nor where an emulator is on record. */
    private static boolean tellsOfOthers() {
        String[] formats = new File("/proc/sys/fs/binfmt_misc").list();
        return ProcessExits.inFirstNamespace() && (formats == null || formats.length <= 2);
    }

    private Refusal refused(String... argv) {
        return refused(fixture.launch(new Invocation.Program(List.of(argv)), false, Map.of()));
    }

    private Refusal refused(Launch launch) {
        Refusal refusal = catchThrowableOfType(Refusal.class, () -> fixture.host.start(launch));
        assertThat(refusal.kind()).isEqualTo(ErrorKind.COMMAND_SPAWN_FAILED);
        assertThat(refusal.recoveryHint()).isNotBlank();
        return refusal;
    }
}
