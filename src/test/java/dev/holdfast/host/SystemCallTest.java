package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class SystemCallTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "x86_64, 0, READ",
        "x86_64, 7, POLL",
        "x86_64, 270, SELECT",
        "x86_64, 281, EPOLL",
        "aarch64, 63, READ",
        "aarch64, 72, SELECT",
        "aarch64, 73, POLL",
        "aarch64, 22, EPOLL",
    })
    void readsTheKernelsLine(String machine, long number, SystemCall.Kind kind) {
        Map<Long, SystemCall.Kind> kinds = "aarch64".equals(machine) ? SystemCall.ARM_64 : SystemCall.X86_64;
        assertThat(SystemCall.parse(number + " 0x3 0xffffffffffffffff 0x0 0x0 0x0 0x0 0x7ffd 0x7f6a\n", kinds))
                .isEqualTo(new SystemCall(kind, 3, -1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "running\n", "-1 0x7ffc 0x7f6a\n", "230 0x0 0x0 0x7ffc 0x0 0x0 0x0 0x7ff 0x7f\n"})
    void aThreadThatRunsOrSleepsElsewhereIsInNone(String line) {
        assertThat(SystemCall.parse(line, SystemCall.X86_64)).isNull();
    }

    @Test
    void readsAnEpollsList() {
        String info = """
                pos:\t0
                flags:\t02
                tfd:        0 events:       19 data: 0  pos:0 ino:61 sdev:5
                tfd:       12 events:        4 data: c  pos:0 ino:61 sdev:5
                """;
        assertThat(WaitedDescriptors.epoll(info)).containsExactly(0L);
    }

    /** Where calls may not be read, as under Yama, the kernel function has to do. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            true  | exec cat
            true  | read x
            false | exec sleep 300
            false | sleep 300; :
            false | x=$(sleep 300)
            """)
    void guessesFromTheKernelFunction(boolean waits, String script) {
        try (StartedTask task = StartedTask.withInput(folder, "bash", "-c", script)) {
            awaitGuess(task, waits);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            true  | exec cat
            true  | exec bash --norc -i
            false | exec sleep 300
            false | sleep 300; :
            """)
    void guessesFromTheKernelFunctionInATerminal(boolean waits, String script) {
        try (StartedTask task = StartedTask.inTerminal(folder, "bash", "-c", script)) {
            awaitGuess(task, waits);
        }
    }

    private static void awaitGuess(StartedTask task, boolean waits) {
        InputWait input = new InputWait(task.process);
        await().during(Duration.ofMillis(200))
                .until(() -> input.seemsToWait(StartedTask.stat(task.command().pid())) == waits);
    }
}
