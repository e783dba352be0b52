package dev.holdfast.kill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.acceptance.Calls;
import dev.holdfast.acceptance.PackagedServer;
import dev.holdfast.acceptance.Processes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Kills with {@code kill -9} at random moments what a command depends on, and asserts that nothing is lost: every byte of
 * a counted output once and in order, every exit code right or unknown and never a false 0, no task twice, no process
 * without an owner, no folder without a row. How many rounds: the system property {@code holdfast.kill.rounds}; the seed
 * is printed, and {@code holdfast.kill.seed} repeats it.
 */
class KillMatrixIT {
    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer();

    private static final int LINES = 400;
    private static final int EXIT_CODE = 7;
    private static final int LONGEST_MS = 700;
    private static final String COUNT =
            "for i in $(seq " + LINES + "); do echo $i; case $i in *00) sleep 0.05;; esac; done; exit " + EXIT_CODE;

    private final Calls calls = SERVER.calls();
    private final long seed = Long.getLong("holdfast.kill.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final Map<Victim, Tally> tallies = new EnumMap<>(Victim.class);

    /** Who is killed. */
    private enum Victim {
        SERVER,
        KEEPER,
        BOTH,
        LAUNCHER,
        SERVER_IN_RECOVERY;

        boolean takesServer() {
            return this == SERVER || this == BOTH || this == SERVER_IN_RECOVERY;
        }

        boolean takesKeeper() {
            return this == KEEPER || this == BOTH;
        }
    }

    /** One started command and what it must have done. */
    private record Started(String id, String kind, boolean terminal) {}

    private static final class Tally {
        int rounds;
        int commands;
        int exact;
        int unknown;
        int stopped;
    }

    @Test
    void whateverIsKilledNothingIsLost() throws Exception {
        int rounds = Integer.getInteger("holdfast.kill.rounds", 2 * Victim.values().length);
        try {
            for (int round = 0; round < rounds; round++) {
                round(round, Victim.values()[round % Victim.values().length]);
            }
        } finally {
            print(rounds);
        }
    }

    private void round(int round, Victim victim) throws Exception {
        Tally tally = tallies.computeIfAbsent(victim, _ -> new Tally());
        tally.rounds++;
        Set<String> before = folders();
        List<Started> started = start(round);
        String echo = started.getLast().id();
        Thread typing = Thread.ofVirtual().start(() -> type(echo));
        Thread waiting = Thread.ofVirtual().start(() -> waitInForeground(round));
        CompletableFuture<Void> stopping = CompletableFuture.runAsync(
                () -> stop(started.getFirst().id()),
                CompletableFuture.delayedExecutor(random.nextInt(LONGEST_MS), TimeUnit.MILLISECONDS));
        typing.join(Duration.ofMillis(1 + random.nextInt(LONGEST_MS)));
        kill(victim, started.get(1).id());
        typing.join();
        waiting.join();
        stopping.join();
        if (victim.takesServer()) {
            restart(victim);
        }
        check(victim, started, before, tally);
    }

    /** The first is stopped, the second may lose its launcher, the last reads its input. */
    private List<Started> start(int round) {
        String note = " # round " + round;
        List<Started> started = new ArrayList<>();
        for (String kind : List.of("stopped", "counter", "counter")) {
            String cmd = COUNT + note + " " + kind + started.size();
            started.add(new Started(calls.start(cmd, "login", false), kind, false));
        }
        started.add(new Started(calls.start(COUNT + note + " tty", "tty", true, "login", false), "counter", true));
        started.add(new Started(calls.start("cat" + note, "accepts_input", true, "login", false), "echo", false));
        return started;
    }

    private void type(String id) {
        for (int i = 1; i <= LINES; i++) {
            try {
                calls.input(id, "text", i + "\n");
            } catch (RuntimeException | AssertionError serverGone) {
                return;
            }
        }
    }

    private void waitInForeground(int round) {
        try {
            calls.run(COUNT + " # round " + round + " foreground", "login", false);
        } catch (RuntimeException | AssertionError serverGone) {
            // Its folder is looked at afterwards.
        }
    }

    private void stop(String id) {
        try {
            calls.stop(id, "grace_ms", 100);
        } catch (RuntimeException | AssertionError serverGone) {
            // Stopped or not, its end is checked.
        }
    }

    private void kill(Victim victim, String launched) throws IOException {
        if (victim.takesServer()) {
            SERVER.kill();
        }
        if (victim.takesKeeper()) {
            keeper().forEach(Processes::kill);
        }
        if (victim == Victim.LAUNCHER) {
            Path pid = SERVER.taskFolder(launched).resolve("pid");
            String first = Files.exists(pid) ? Files.readString(pid) : "";
            if (!first.isBlank()) {
                Processes.kill(Long.parseLong(first.substring(0, first.indexOf(' '))));
            }
        }
    }

    private void restart(Victim victim) throws Exception {
        if (victim == Victim.SERVER_IN_RECOVERY) {
            Process begun = SERVER.launch();
            assertThat(begun.waitFor(random.nextInt(2000), TimeUnit.MILLISECONDS))
                    .isFalse();
            begun.destroyForcibly().onExit().join();
        }
        SERVER.start();
    }

    private static Stream<Long> keeper() {
        return Processes.running("dev.holdfast.keeper.Keeper " + SERVER.data()).stream();
    }

    private void check(Victim victim, List<Started> started, Set<String> before, Tally tally) throws IOException {
        for (Started each : started) {
            if (each.kind().equals("echo")) {
                calls.stop(each.id(), "grace_ms", 0);
            }
        }
        Set<String> mine = new HashSet<>(folders());
        mine.removeAll(before);
        Map<String, JsonNode> rows = rows();
        assertThat(rows.keySet()).as("every folder has a row, seed %d", seed).containsAll(mine);
        assertThat(mine).containsAll(started.stream().map(Started::id).toList());
        for (String id : mine) {
            JsonNode task = calls.awaitEnd(id);
            tally.commands++;
            String kind = started.stream()
                    .filter(one -> one.id().equals(id))
                    .map(Started::kind)
                    .findFirst()
                    .orElse("counter");
            checkTask(victim, id, kind, task, tally);
        }
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(
                                mine.stream().flatMap(id -> Processes.marked("HOLDFAST_TASK", id).stream()))
                        .as("no process without an owner, seed %d", seed)
                        .isEmpty());
    }

    private void checkTask(Victim victim, String id, String kind, JsonNode task, Tally tally) throws IOException {
        String out = Files.readString(SERVER.taskFolder(id).resolve("out"), StandardCharsets.UTF_8)
                .replace("\r", "");
        String context = victim + ", seed " + seed + ": " + task;
        String all = IntStream.rangeClosed(1, LINES).mapToObj(i -> i + "\n").collect(Collectors.joining());
        assertThat(out)
                .as("each line once and in order; %s", context)
                .isEqualTo(all.substring(0, Math.min(all.length(), out.length())));
        JsonNode status = task.get("exit_status");
        switch (task.get("status").asText()) {
            case "interrupted" -> {
                assertThat(victim).as(context).isNotEqualTo(Victim.SERVER);
                assertThat(status.isNull()).as(context).isTrue();
                tally.unknown++;
            }
            case "cancelled" -> {
                assertThat(kind).as(context).isIn("stopped", "echo");
                tally.stopped++;
            }
            case "failed" -> {
                // What a terminal printed last is in the kernel's buffer: it goes with the keeper that held it.
                if (!(victim.takesKeeper() && task.at("/command/tty").asBoolean())) {
                    assertThat(status.asInt()).as(context).isEqualTo(EXIT_CODE);
                    assertThat(out).as(context).isEqualTo(all);
                }
                tally.exact++;
            }
            default -> throw new AssertionError("a false end: " + context);
        }
    }

    private Map<String, JsonNode> rows() {
        List<JsonNode> tasks = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = calls.get("/v1/tasks?status=all&limit=100" + cursor).json();
            page.get("tasks").forEach(tasks::add);
            cursor = page.get("next_cursor").isNull()
                    ? ""
                    : "&cursor=" + page.get("next_cursor").asText();
        } while (!cursor.isEmpty());
        return tasks.stream()
                .collect(Collectors.toMap(task -> task.get("task_id").asText(), task -> task));
    }

    /** Folders of commands, those left out that keep an answer that was given. */
    private static Set<String> folders() throws IOException {
        try (Stream<Path> all = Files.list(SERVER.data().resolve("tasks"))) {
            return all.filter(folder -> Files.exists(folder.resolve("spec.json")))
                    .map(folder -> folder.getFileName().toString())
                    .filter(name -> name.startsWith("task_"))
                    .collect(Collectors.toSet());
        }
    }

    private void print(int rounds) {
        System.out.printf("Kill matrix: %d rounds, seed %d%n", rounds, seed);
        System.out.printf("%-20s %7s %9s %7s %8s %8s%n", "killed", "rounds", "commands", "exact", "stopped", "unknown");
        tallies.forEach((victim, tally) -> System.out.printf(
                "%-20s %7d %9d %7d %8d %8d%n",
                victim, tally.rounds, tally.commands, tally.exact, tally.stopped, tally.unknown));
    }
}
