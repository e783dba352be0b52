package dev.holdfast.kill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.acceptance.Answer;
import dev.holdfast.acceptance.Calls;
import dev.holdfast.acceptance.PackagedServer;
import dev.holdfast.acceptance.Processes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Several callers at once ask for commands of every {@link Plan.Kind}, of which all is known beforehand, while the
 * server is killed with {@code kill -9} again and again and started at once. What gets no answer is asked again.
 * Nothing may be lost, doubled or guessed. In the profile {@code kill} alone; how many commands of each kind: the system
 * property {@code holdfast.callers.rounds}. The seed is printed, and {@code holdfast.kill.seed} repeats what is asked
 * for.
 */
class CallersAtRandom {
    private static final int ROUNDS = Integer.getInteger("holdfast.callers.rounds", 1);
    private static final int CALLERS = 4;
    private static final int LONGEST_LIFE_MS = 2000;
    private static final int LONGEST_START_MS = 1500;

    @RegisterExtension
    static final PackagedServer SERVER =
            new PackagedServer().with("HOLDFAST_OUTPUT_MAX_BYTES", Integer.toString(Caller.BUDGET));

    private final long seed = Long.getLong("holdfast.kill.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final Set<String> tasks = ConcurrentHashMap.newKeySet();
    private final Queue<AssertionError> wrong = new ConcurrentLinkedQueue<>();
    private final Calls calls = SERVER.calls();

    @Test
    void nothingIsLostDoubledOrGuessed() throws Exception {
        Queue<Plan> plans = new ConcurrentLinkedQueue<>();
        for (int round = 0; round < ROUNDS; round++) {
            List<Plan.Kind> kinds = Arrays.asList(Plan.Kind.values());
            Collections.shuffle(kinds, random);
            for (Plan.Kind kind : kinds) {
                plans.add(Plan.of(kind, round, seed));
            }
        }
        int commands = plans.size();
        CompletableFuture<Void> callers = CompletableFuture.allOf(
                Stream.generate(() -> CompletableFuture.runAsync(() -> call(plans), Thread::startVirtualThread))
                        .limit(CALLERS)
                        .toArray(CompletableFuture[]::new));
        int kills = 0;
        try (HoldUps _ = new HoldUps(SERVER)) {
            for (; !isDone(callers, 200 + random.nextInt(LONGEST_LIFE_MS)); kills++) {
                SERVER.kill();
                if (random.nextInt(3) == 0) {
                    Process begun = SERVER.launch();
                    isDone(callers, random.nextInt(LONGEST_START_MS));
                    begun.destroyForcibly().onExit().join();
                }
                SERVER.start();
            }
        }
        System.out.printf(
                "Callers at random: %d commands, %d tasks, %d kills, seed %d, %d wrong%n",
                commands, tasks.size(), kills, seed, wrong.size());

        assertThat(wrong).isEmpty();
        assertListed();
        await().atMost(Calls.PATIENCE)
                .untilAsserted(() -> assertThat(Processes.byValue("HOLDFAST_TASK"))
                        .doesNotContainKeys(Aftermath.folders(SERVER).toArray(String[]::new)));
    }

    private static boolean isDone(CompletableFuture<Void> callers, int withinMs) throws Exception {
        try {
            callers.get(withinMs, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException notYet) {
            return false;
        }
    }

    private void call(Queue<Plan> plans) {
        for (Plan plan = plans.poll(); plan != null; plan = plans.poll()) {
            var caller = new Caller(SERVER, plan);
            try {
                String task = caller.run();
                if (task != null) {
                    tasks.add(task);
                }
            } catch (Exception | AssertionError failure) {
                String context =
                        plan.name() + ", seed " + seed + ": " + plan.body() + "\nwas told last: " + caller.heard();
                var told = new AssertionError(context, failure);
                told.printStackTrace();
                wrong.add(told);
            }
        }
    }

    /** Page by page, each task once, the newest first. */
    private void assertListed() {
        List<String> listed = new ArrayList<>();
        for (String cursor = ""; cursor != null; ) {
            Answer page = calls.get("/v1/tasks?status=all&limit=7" + cursor).hasStatus(200);
            for (JsonNode task : page.at("/tasks")) {
                if (task.at("/labels/batch").isMissingNode()) {
                    listed.add(task.path("task_id").asText());
                }
            }
            assertThat(page.at("/total_active").asInt(-1)).isZero();
            cursor = page.at("/next_cursor").isNull() ? null : "&cursor=" + page.text("/next_cursor");
        }
        assertThat(listed).isSortedAccordingTo(Comparator.reverseOrder()).containsExactlyInAnyOrderElementsOf(tasks);
    }
}
