package dev.holdfast.acceptance;

import static dev.holdfast.acceptance.Calls.command;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two things at the same moment. */
class RacesIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private static final int TRIES = Integer.getInteger("holdfast.races.tries", 200);

    private final Calls http = SERVER.calls();

    /** The window follows the command's own time up and down, so that every try is at the edge. */
    @Test
    void anExitAtTheVeryMomentTheWindowClosesIsReportedOnce() throws Exception {
        int workers = 8;
        var completed = new AtomicInteger();
        var promoted = new AtomicInteger();
        inParallel(workers, worker -> {
            int window = 15;
            for (int i = 0; i < TRIES / workers; i++) {
                String text = worker + "-" + i;
                Answer answer =
                        http.run("sleep 0.01; echo " + text, "yield_time_ms", window, "labels", Map.of("race", "edge"));
                if (answer.status() == 200) {
                    assertThat(answer.completed().text("/stdout_preview")).isEqualTo(text + "\n");
                    assertThat(answer.at("/exit_status").asInt(-1)).isZero();
                    completed.incrementAndGet();
                    window = Math.max(1, window * 3 / 4);
                } else {
                    String id = answer.promoted();
                    assertThat(http.awaitEnd(id).path("status").asText()).isEqualTo("completed");
                    assertThat(http.output(id)).isEqualTo(text + "\n");
                    promoted.incrementAndGet();
                    window += 1 + window / 4;
                }
            }
        });

        assertThat(completed.get()).isGreaterThan(TRIES / 10);
        assertThat(promoted.get()).isGreaterThan(TRIES / 10);
        assertThat(rows()).isEqualTo(promoted.get());
        assertThat(http.get("/v1/tasks").at("/total_active").asInt(-1)).isZero();
    }

    private int rows() {
        int rows = 0;
        String cursor = "";
        do {
            Answer page = http.get("/v1/tasks?status=all&limit=100&label=race%3Dedge" + cursor);
            rows += page.at("/tasks").size();
            cursor = page.at("/next_cursor").isNull() ? "" : "&cursor=" + page.text("/next_cursor");
        } while (!cursor.isEmpty());
        return rows;
    }

    @RepeatedTest(5)
    void ofManyIdenticalStartsOneStarts() throws Exception {
        int callers = 64;
        Path runs = Files.createTempFile(SERVER.workspace(), "runs", "");
        Map<String, Object> body = command("echo ran >> " + runs + "; sleep 30", "yield_time_ms", 300);
        List<Answer> answers = together(callers, () -> http.post("/v1/commands", body));

        Set<String> ids = new HashSet<>();
        int started = 0;
        for (Answer answer : answers) {
            started += answer.status() == 202 ? 1 : 0;
            ids.add(answer.status() == 202 ? answer.promoted() : answer.alreadyRunning());
        }

        assertThat(started).isEqualTo(1);
        assertThat(ids).hasSize(1);
        await().atMost(Calls.PATIENCE).until(() -> Files.size(runs) > 0);
        assertThat(Files.readAllLines(runs)).hasSize(1);
        http.stop(ids.iterator().next(), "force", true);
    }

    @Test
    void aStopThatMeetsAStartLeavesNothing() throws Exception {
        String sleep = "4096." + (10_000_000 + ProcessHandle.current().pid()); // other JVMs may run this test too
        inParallel(4, worker -> {
            for (int i = 0; i < 8; i++) {
                Set<Path> before = SERVER.taskFolders();
                try (ExecutorService starter = Executors.newVirtualThreadPerTaskExecutor()) {
                    Future<Answer> start =
                            starter.submit(() -> http.run("sleep " + sleep + " # " + worker, "yield_time_ms", 0));
                    await().atMost(Calls.PATIENCE)
                            .pollInterval(Duration.ofMillis(1))
                            .until(() -> start.isDone() || !before.containsAll(SERVER.taskFolders()));
                    for (Path folder : SERVER.taskFolders()) {
                        if (!before.contains(folder)) {
                            int status = http.stop(folder.getFileName().toString(), "grace_ms", 100)
                                    .status();
                            assertThat(status).isIn(200, 404);
                        }
                    }
                    Answer answer = start.get();
                    if (answer.status() == 202) {
                        http.stop(answer.promoted(), "force", true).hasStatus(200);
                    } else {
                        assertThat(answer.completed().text("/ended_by")).isEqualTo("stop");
                    }
                }
            }
        });

        // Who was killed may take its time to go.
        await().atMost(Calls.PATIENCE).until(() -> Processes.running(sleep), List::isEmpty);
        assertThat(http.get("/v1/tasks").at("/total_active").asInt(-1)).isZero();
    }

    @Test
    void aCommandStoppedInItsWindowIsTold() throws Exception {
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            String before = SERVER.newest();
            Future<Answer> first = callers.submit(() -> http.run("echo begun; sleep 600", "yield_time_ms", 120_000));
            SERVER.awaitNewer(before);
            String id = http.run("echo begun; sleep 600").alreadyRunning();

            Answer stopped = http.stop(id, "grace_ms", 1000).hasStatus(200);

            assertThat(stopped.text("/task/status")).isEqualTo("cancelled");
            Answer answer = first.get();
            assertThat(answer.took()).isLessThan(Duration.ofSeconds(60));
            assertThat(answer.status()).as(answer.body()).isIn(200, 202);
            assertThat(http.task(id).path("status").asText()).isEqualTo("cancelled");
        }
    }

    @Test
    void inputWhileStoppingHoldsNothingUp() throws Exception {
        String id = http.start("trap '' TERM; echo ready; while :; do sleep 0.1; done", "accepts_input", true);
        http.awaitOutput(id, "ready");
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Answer> stop = callers.submit(() -> http.stop(id, "grace_ms", 1500));
            while (!stop.isDone()) {
                Answer input = http.input(id, "text", "x".repeat(100_000));
                assertThat(input.status()).as(input.body()).isIn(200, 409);
                assertThat(input.took()).isLessThan(Duration.ofSeconds(30));
            }

            assertThat(stop.get().hasStatus(200).text("/task/status")).isEqualTo("cancelled");
            assertThat(stop.get().took()).isLessThan(Duration.ofSeconds(30));
        }
        http.input(id, "text", "x").refused(409, "task_not_running");
    }

    @Test
    void twoStopsAreOne() throws Exception {
        String id = http.start("trap '' TERM; echo ready; while :; do sleep 0.1; done");
        http.awaitOutput(id, "ready");
        long pid = http.pid(id);
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Answer> patient = callers.submit(() -> http.stop(id, "grace_ms", 60_000));
            http.awaitTask(id, task -> task.path("status").asText().equals("cancelling"));

            Answer impatient = http.stop(id, "force", true).hasStatus(200);

            assertThat(impatient.text("/task/status")).isEqualTo("cancelled");
            assertThat(patient.get().hasStatus(200).text("/task/status")).isEqualTo("cancelled");
            assertThat(patient.get().took()).isLessThan(Duration.ofSeconds(30));
            assertThat(Processes.alive(pid)).isFalse();
        }
    }

    @Test
    void manyStopsAtOnceAgree() throws Exception {
        String id = http.start("sleep 601");

        for (Answer answer : together(16, () -> http.stop(id, "grace_ms", 500))) {
            assertThat(answer.hasStatus(200).text("/task/status")).isEqualTo("cancelled");
            assertThat(answer.at("/survivors").toString()).isEqualTo("[]");
        }
    }

    /** What each worker does, with its number. */
    private interface Work {
        void accept(int worker) throws Exception;
    }

    private static void inParallel(int workers, Work work) throws Exception {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            var running = new ArrayList<Future<?>>();
            for (int i = 0; i < workers; i++) {
                int worker = i;
                running.add(executor.submit(() -> {
                    work.accept(worker);
                    return worker;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
    }

    /** The same call by that many callers, let go at one moment. */
    private static List<Answer> together(int callers, Callable<Answer> call) throws Exception {
        var gate = new CountDownLatch(1);
        var answers = new ArrayList<Answer>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            var pending = new ArrayList<Future<Answer>>();
            for (int i = 0; i < callers; i++) {
                pending.add(executor.submit(() -> {
                    gate.await();
                    return call.call();
                }));
            }
            gate.countDown();
            for (Future<Answer> each : pending) {
                answers.add(each.get());
            }
        }
        return answers;
    }
}
