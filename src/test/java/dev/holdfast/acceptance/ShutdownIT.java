package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What becomes of tasks when the server goes: left, or stopped by {@code holdfast.shutdown}, and the log says which.
 */
class ShutdownIT {
    private static final Executor VIRTUAL = Thread::startVirtualThread;
    private static final Pattern LEFT = Pattern.compile("Leaving (\\d+) tasks running[^\\[]*\\[([^]]*)]");

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    private static void end(String signal) throws Exception {
        new ProcessBuilder("kill", "-s", signal, Long.toString(SERVER.pid()))
                .start()
                .waitFor();
        assertThat(SERVER.server().waitFor(30, TimeUnit.SECONDS)).as(signal).isTrue();
    }

    /** The server that comes after the first end stops what it has when it goes. */
    @TestFactory
    Stream<DynamicTest> theServerGoesTwice() {
        return Stream.of(
                DynamicTest.dynamicTest(
                        "tasks are left, and a stop under load is told without failures",
                        this::tasksAreLeftAndAStopUnderLoadIsToldWithoutFailures),
                DynamicTest.dynamicTest("tasks are stopped", this::tasksAreStopped));
    }

    private void tasksAreStopped() throws Exception {
        String one = http.start("sleep 600");
        String other = http.start("setsid sleep 7601 & sleep 602");
        long pid = http.pid(one);
        http.pid(other);

        end("TERM");

        assertThat(Processes.alive(pid)).isFalse();
        assertThat(Processes.marked("HOLDFAST_TASK", other)).isEmpty();
        assertThat(SERVER.log())
                .containsPattern("Stopping 2 tasks.*" + one)
                .containsPattern("Stopping 2 tasks.*" + other);
        SERVER.with("HOLDFAST_SHUTDOWN", "leave").start();
        for (String id : new String[] {one, other}) {
            JsonNode task = http.task(id);
            assertThat(task.path("status").asText()).isEqualTo("cancelled");
            assertThat(task.path("ended_by").asText()).isEqualTo("stop");
        }
    }

    /**
     * Commands end, and requests come, at every moment of it: none of that is a failure, and no end is lost. By INT; by
     * TERM WindowsAtStopIT ends its server.
     */
    private void tasksAreLeftAndAStopUnderLoadIsToldWithoutFailures() throws Exception {
        String left = http.start("sleep 600");
        long pid = http.pid(left);
        Set<String> told = ConcurrentHashMap.newKeySet();
        List<CompletableFuture<Void>> callers = IntStream.range(0, 16)
                .mapToObj(caller -> CompletableFuture.runAsync(() -> startUntilCutOff(caller, told), VIRTUAL))
                .toList();
        await().atMost(Calls.PATIENCE).until(() -> told.size() > 50);

        end("INT");

        assertThat(Processes.alive(pid)).isTrue();
        callers.forEach(CompletableFuture::join);
        String log = SERVER.log();
        MatchResult leaving = LEFT.matcher(log).results().findFirst().orElseThrow();
        assertThat(leaving.group(2).split(", "))
                .hasSize(Integer.parseInt(leaving.group(1)))
                .contains(left);
        SERVER.with("HOLDFAST_SHUTDOWN", "stop").start();
        assertThat(http.task(left).path("status").asText()).isEqualTo("running");
        assertThat(http.pid(left)).isEqualTo(pid);
        http.stop(left, "force", true).hasStatus(200);
        assertThat(log.lines().filter(line -> !line.contains("ServerBootstrap")))
                .noneMatch(line -> line.contains(" ERROR ") || line.contains("could not be"));
        assertThat(told)
                .allSatisfy(
                        id -> assertThat(http.awaitEnd(id).path("exit_status").asInt(-1))
                                .isEqualTo(7));
    }

    private void startUntilCutOff(int caller, Set<String> told) {
        for (int command = 0; ; command++) {
            try {
                String cmd = "sleep 0.%d; exit 7 # %d %d".formatted(command % 4, caller, command);
                Answer answer = http.run(cmd, "yield_time_ms", command % 2 * 1000);
                if (answer.status() == 202) {
                    told.add(answer.promoted());
                }
            } catch (AssertionError cutOff) {
                return;
            }
        }
    }
}
