package dev.holdfast.host.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.host.StartedTask;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class SystemCallTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "x86_64, 0, READ, -1",
        "x86_64, 7, POLL, 1500",
        "x86_64, 271, PPOLL, 9223372036854775807",
        "x86_64, 270, SELECT, -1",
        "x86_64, 281, EPOLL, -1",
        "x86_64, 202, PARKED, -1",
        "x86_64, 230, OTHER, -1",
        "aarch64, 63, READ, -1",
        "aarch64, 72, SELECT, -1",
        "aarch64, 73, PPOLL, 9223372036854775807",
        "aarch64, 22, EPOLL, -1",
        "aarch64, 98, PARKED, -1",
    })
    void readsTheKernelsLine(String machine, long number, SystemCall.Kind kind, long limit) {
        Map<Long, SystemCall.Kind> kinds = "aarch64".equals(machine) ? SystemCall.ARM_64 : SystemCall.X86_64;
        String line = number + " 0x3 0xffffffffffffffff 0x5dc 0xffffffff 0x0 0x0 0x7ffd 0x7f6a\n";
        assertThat(SystemCall.parse(line, kinds)).isEqualTo(new SystemCall(kind, 3, -1, limit));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "running\n", "-1 0x7ffc 0x7f6a\n"})
    void aThreadThatRunsIsInNone(String line) {
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

    /** As of another user's program, of which nothing else is seen. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            true  | stty -echo; exec sleep 300
            false | exec sleep 300
            false | stty -echo -icanon; exec sleep 300
            """)
    void aPasswordIsALineThatIsNotShown(boolean asks, String script) {
        try (StartedTask task = StartedTask.inTerminal(folder, "bash", "-c", script)) {
            InputWait input = new InputWait(task.process);
            await().during(Duration.ofMillis(200))
                    .until(() -> input.asksForPassword(
                                    StartedTask.stat(task.command().pid()))
                            == asks);
        }
    }

    private static void awaitGuess(StartedTask task, boolean waits) {
        InputWait input = new InputWait(task.process);
        await().during(Duration.ofMillis(200))
                .until(() -> input.seemsToWait(StartedTask.stat(task.command().pid())) == waits);
    }
}
