package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.kernel.CgroupTest;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sections 2 and 6: what a command started and left running when it ended in its window ({@code npm run dev &}). */
class LeftRunningIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private static final boolean GROUPS = CgroupTest.canBeMade();

    /** Waits until the task has its group. */
    private static final String JOINED = GROUPS ? "until grep -q /task_ /proc/$$/cgroup; do sleep 0.2; done; " : "";

    /** Waits until what it left last is that program, no shell any more that is about to become it, nor setsid. */
    private static final String BEGUN = "until grep -qs sleep /proc/$!/comm; do :; done";

    private final Calls http = SERVER.calls();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sleep 300.25 & BEGUN; echo started",
                "sleep 300.25 > /dev/null 2>&1 & BEGUN; echo started",
                "(sleep 300.25 & BEGUN) ; echo started",
                "setsid sleep 300.25 & BEGUN; echo started",
                "set -m; sleep 300.25 & BEGUN; echo started",
                "env -i sleep 300.25 & BEGUN; echo started"
            })
    void whatLivesOnIsNamedAndStopped(String cmd) {
        Answer answer = http.run(cmd.replace("BEGUN", BEGUN)).completed();

        assertThat(answer.text("/stdout_preview")).isEqualTo("started\n");
        assertThat(answer.at("/exit_status").asInt(-1)).isZero();
        assertThat(answer.at("/left_running")).hasSize(1);
        assertThat(answer.text("/left_running/0/command")).isEqualTo("sleep 300.25");
        assertThat(answer.at("/left_running/0/ports").toString()).isEqualTo("[]");
        long pid = answer.at("/left_running/0/pid").asLong();
        assertThat(Processes.alive(pid)).isTrue();
        JsonNode task = http.task(answer.text("/task_id"));
        assertThat(task.path("status").asText()).isEqualTo("completed");
        assertThat(task.path("promoted_at").isTextual()).isTrue();

        assertThat(task.path("left_running")).isEqualTo(answer.at("/left_running"));
        assertStopped(answer.text("/task_id"), pid);
        ((ObjectNode) task).remove("left_running");
        assertThat(http.task(answer.text("/task_id"))).isEqualTo(task);
    }

    /** It drops its output too, so that only its control group tells. */
    @Test
    void whatHidesAfterAWhileIsNamedByItsGroup() {
        String cmd = JOINED + "setsid sleep 300 > /dev/null 2>&1 & sleep 0.2; echo started";
        if (GROUPS) {
            Answer answer = http.run(cmd).completed();

            assertStopped(
                    answer.text("/task_id"), answer.at("/left_running/0/pid").asLong());
        }
    }

    @Test
    void aServerIsNamedWithItsPort() {
        int port = PackagedServer.freePort();
        Answer answer = http.run(Calls.leaving(port)).completed();

        assertThat(answer.at("/left_running/0/ports").toString()).isEqualTo("[" + port + "]");
        assertStopped(answer.text("/task_id"), answer.at("/left_running/0/pid").asLong());
    }

    @Test
    void aProgramsIsNamedToo() {
        List<String> argv = List.of("sh", "-c", "sleep 300 & echo started");
        Answer answer = http.run(argv).completed();

        assertStopped(answer.text("/task_id"), answer.at("/left_running/0/pid").asLong());
    }

    @Test
    void aTerminalsIsNamedToo() {
        // The terminal must not be hung up before nohup has made it deaf to that.
        Answer answer = http.run("nohup sleep 300 > /dev/null 2>&1 & echo started; " + BEGUN, "tty", true)
                .completed();

        assertStopped(answer.text("/task_id"), answer.at("/left_running/0/pid").asLong());
    }

    @Test
    void anItemOfABatchNamesItToo() {
        List<Map<String, Object>> items = List.of(Map.of("cmd", "sleep 300 & echo started"), Map.of("cmd", "true"));
        Answer answer = http.post("/v1/commands/batch", Map.of("items", items)).hasStatus(200);

        assertThat(answer.at("/items/1/result/left_running").isMissingNode()).isTrue();
        assertStopped(
                answer.text("/items/0/result/task_id"),
                answer.at("/items/0/result/left_running/0/pid").asLong());
    }

    @Test
    void aReceiptSaysWhatToDo() {
        String receipt = http.receipt("sleep 300.25 & echo started; " + BEGUN).strip();

        assertThat(receipt)
                .matches("Process exited with code 0\n\nstdout:\nstarted\n\nLeft running:\n\\d+ sleep 300.25\n"
                        + "Run it without `&`: it becomes a task by itself\\. A stop of task_[0-9A-Z]{26} ends.*");
    }

    @Test
    void whereNothingIsLeftNothingIsSaidNorKept() {
        Set<?> before = SERVER.taskFolders();
        Answer answer = http.run("sleep 0.01 & wait; setsid true; echo ended").completed();

        assertThat(answer.json().has("left_running")).isFalse();
        assertThat(answer.json().has("task_id")).isFalse();
        assertThat(http.receipt("echo ended").strip()).isEqualTo("Process exited with code 0\n\nstdout:\nended");
        assertThat(http.get("/v1/tasks?status=all&q=echo%20ended").at("/tasks")).isEmpty();
        await().until(() -> before.containsAll(SERVER.taskFolders()));
    }

    @Test
    void whatIsToBeStoppedAtTheEndIsNotLeft() {
        Answer answer = http.run("sleep 300 & echo $!", "on_exit", "stop").completed();

        assertThat(answer.json().has("left_running")).isFalse();
        assertThat(Processes.alive(Long.parseLong(answer.text("/stdout_preview").strip())))
                .isFalse();
    }

    @Test
    void whatHasEndedMeanwhileIsNotStopped() {
        Answer answer = http.run("sleep 300 & echo started").completed();
        long pid = answer.at("/left_running/0/pid").asLong();
        Processes.kill(pid);
        Processes.awaitGone(pid);

        assertNothingLeft(http.stop(answer.text("/task_id")));
    }

    @Test
    void theSameKeyIsAnsweredTheSame() {
        Map<String, Object> body = Calls.command("sleep 300 & echo $$; " + BEGUN);
        Answer first =
                http.post("/v1/commands", body, "Idempotency-Key", "left").completed();
        Answer second =
                http.post("/v1/commands", body, "Idempotency-Key", "left").completed();

        assertThat(second.json()).isEqualTo(first.json());
        assertStopped(first.text("/task_id"), first.at("/left_running/0/pid").asLong());
        Answer third =
                http.post("/v1/commands", body, "Idempotency-Key", "left").completed();
        assertThat(third.text("/stdout_preview")).isEqualTo(first.text("/stdout_preview"));
        assertThat(third.text("/task_id")).isEqualTo(first.text("/task_id"));
        assertThat(third.json().has("left_running")).isFalse();
    }

    /** For RestartIT, which kills the server. */
    Stream<Story> overAKill() {
        return Stream.of(
                itIsStoppedThen("sleep 300 & echo started; " + BEGUN),
                itIsStoppedThen("setsid sleep 300 > /dev/null & " + BEGUN + "; echo started"),
                aForgottenTaskStaysForgottenThoughSomethingHoldsItsOutput(),
                aStopOfItGoesOn(""),
                aStopOfItGoesOn(" > /dev/null 2>&1"));
    }

    private Story itIsStoppedThen(String cmd) {
        Answer answer = http.run(JOINED + cmd, "on_exit", "leave").completed();
        if (!answer.json().has("task_id")) {
            assertThat(GROUPS).isFalse();
            return new Story("nothing tells of it: " + cmd, () -> {});
        }
        String id = answer.text("/task_id");
        JsonNode before = http.task(id);

        return new Story("it is stopped: " + cmd, () -> {
            assertThat(http.task(id)).isEqualTo(before);
            assertStopped(id, answer.at("/left_running/0/pid").asLong());
        });
    }

    /** It does not go when asked, and its output tells of it or not. */
    private Story aStopOfItGoesOn(String output) {
        String deaf = "sh -c 'trap : TERM; : > deaf; while :; do sleep 0.2; done'";
        Answer answer = http.run("rm -f deaf; " + deaf + output + " & until [ -e deaf ]; do sleep 0.1; done; exit 3")
                .completed();
        String id = answer.text("/task_id");
        var _ = CompletableFuture.runAsync(() -> http.stop(id, "grace_ms", 10_000), Thread::startVirtualThread);
        await().atMost(Calls.PATIENCE)
                .until(() -> Files.exists(SERVER.taskFolder(id).resolve("asked")));

        return new Story("a stop of it goes on" + output, () -> {
            await().atMost(Calls.PATIENCE)
                    .until(() -> Processes.marked("HOLDFAST_TASK", id).isEmpty());
            await().until(() -> Folders.children(SERVER.data().resolve("leftovers")).stream()
                    .noneMatch(mark -> mark.getFileName().toString().contains(id)));
        });
    }

    /** It runs on; its output goes with it, whichever server is there by then. */
    private Story aForgottenTaskStaysForgottenThoughSomethingHoldsItsOutput() {
        Answer answer = http.run("echo secret; sleep 300 & exit 0").completed();
        String id = answer.text("/task_id");
        long pid = answer.at("/left_running/0/pid").asLong();
        http.delete("/v1/tasks/" + id).hasStatus(204);

        return new Story("a forgotten task stays forgotten though something holds its output", () -> {
            http.get("/v1/tasks/" + id).refused(404, "task_not_found");
            http.get("/v1/tasks/" + id + "/output").refused(404, "task_not_found");
            assertThat(Processes.alive(pid)).isTrue();
            Processes.kill(pid);
            await().atMost(Calls.PATIENCE).until(() -> !Files.exists(SERVER.taskFolder(id)));
        });
    }

    /** Whose window is long over. */
    @Test
    void aTaskThatEndedTellsItTooAndLeavesNothingBehindAStopEither() {
        int port = PackagedServer.freePort();
        String id = http.start(Calls.leaving(port));
        JsonNode ended = http.awaitEnd(id);
        String printed = http.raw(id, "?stream=stdout").body();
        long pid = Long.parseLong(printed.lines().findFirst().orElseThrow());

        JsonNode left = http.task(id).at("/left_running");
        assertThat(left).as(ended.toString()).hasSize(1);
        assertThat(left.at("/0/pid").asLong()).isEqualTo(pid);
        assertThat(left.at("/0/ports").toString()).isEqualTo("[" + port + "]");
        assertStopped(id, pid);
        assertThat(http.task(id).has("left_running")).isFalse();
    }

    private void assertStopped(String task, long pid) {
        Answer stop = http.stop(task).hasStatus(200);

        assertThat(Processes.alive(pid)).isFalse();
        assertThat(stop.at("/stop_requested").asBoolean(true)).isFalse();
        assertThat(stop.at("/survivors")).isEmpty();
        assertThat(stop.at("/ended_leftovers").toString()).contains(Long.toString(pid));
        assertThat(stop.text("/summary_text")).contains("had ended before", "was ended: pid ", Long.toString(pid));
        assertNothingLeft(http.stop(task));
    }

    private static void assertNothingLeft(Answer stop) {
        assertThat(stop.hasStatus(200).at("/ended_leftovers").toString()).isEqualTo("[]");
        assertThat(stop.text("/summary_text")).isEqualTo("The task had ended before, and nothing of it was left.");
    }
}
