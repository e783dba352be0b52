package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Descriptors, threads, inotify watches, FIFOs, folders: as many after many commands of all kinds as after a few. How
 * many: the system property {@code holdfast.leaks.commands}.
 */
class LeaksIT {
    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer();

    private static final int FEW = 50;
    private static final int MANY = Integer.getInteger("holdfast.leaks.commands", 200);
    private static final int CALLERS = 4;
    /** A connection that was dropped is found out when something is to be sent to it, every 15 s at the latest. */
    private static final Duration SETTLE = Duration.ofSeconds(40);
    /** Pools of threads breathe. */
    private static final int THREADS_MORE = 4;

    /** The last events of all tasks and pages of the database: full after 10,000 commands. */
    private static final long HEAP_MORE_KIB = 16 * 1024;

    private final Calls http = SERVER.calls();

    @Test
    void asManyAfterManyCommandsAsAfterAFew() throws Exception {
        run(0, FEW);
        ServerUsage few = settled();
        run(FEW, MANY);

        AtomicReference<ServerUsage> last = new AtomicReference<>(few);
        await().atMost(SETTLE).pollInterval(Duration.ofSeconds(1)).untilAsserted(() -> {
            assertNoMore(ServerUsage.counts(SERVER), few);
            ServerUsage many = ServerUsage.of(SERVER);
            last.set(many);
            assertNoMore(many.counts(), few);
            assertThat(many.heapKib()).as("heap").isLessThan(few.heapKib() + HEAP_MORE_KIB);
        });
        System.out.printf("After %d commands %s%nAfter %d commands %s%n", FEW, few, MANY, last);
    }

    private static void assertNoMore(Map<String, Long> many, ServerUsage few) {
        assertThat(many.keySet()).isSubsetOf(few.counts().keySet());
        many.forEach((what, count) -> assertThat(count)
                .as("%s after %d commands; threads %s", what, MANY, ServerUsage.threads(SERVER.pid()))
                .isLessThanOrEqualTo(few.counts().get(what) + (what.contains("threads") ? THREADS_MORE : 0)));
    }

    private static ServerUsage settled() throws Exception {
        ServerUsage.of(SERVER); // what its tools start in the server stays
        List<Map<String, Long>> seen = new ArrayList<>();
        await().atMost(SETTLE).pollInterval(Duration.ofSeconds(2)).until(() -> {
            seen.add(ServerUsage.counts(SERVER));
            return seen.size() > 1 && seen.getLast().equals(seen.get(seen.size() - 2));
        });
        return ServerUsage.of(SERVER);
    }

    private void run(int from, int to) throws Exception {
        try (ExecutorService callers = Executors.newFixedThreadPool(CALLERS)) {
            List<Future<?>> started = new ArrayList<>();
            for (int i = from; i < to; i++) {
                int number = i;
                started.add(callers.submit(() -> one(number)));
            }
            for (Future<?> each : started) {
                each.get();
            }
        }
    }

    private Void one(int number) throws Exception {
        String note = " # " + number;
        switch (number % 16) {
            case 0 -> terminal(note);
            case 1 -> http.run("exit 3" + note).completed();
            case 2 -> http.run("kill -KILL $$" + note).completed();
            case 3, 4 -> input(note);
            case 5 -> ended(http.start("sleep 0.1; echo promoted" + note));
            case 6 -> batch(note);
            case 7 -> reader(note);
            case 8 -> signalled(note);
            case 9 -> hangUp(number);
            case 10 -> stopped(note);
            case 11 -> refused();
            case 12 -> matched(http.run("echo now; sleep 0.2" + note, "yield_when", Map.of("output_matches", "now")));
            case 13 -> http.run("sleep 30" + note, "timeout_ms", 50).completed();
            case 14 -> http.run("seq 2000" + note, "env", Map.of("A", "b")).completed();
            default -> http.run("true" + note).completed();
        }
        return null;
    }

    /** A busy server may come to look when it has ended. */
    private void matched(Answer answer) {
        if (answer.status() == 200) {
            answer.completed();
        } else {
            ended(answer.promoted());
        }
    }

    private void terminal(String note) throws Exception {
        String id = http.start("read -r line; echo got $line" + note, "tty", true);
        try (TerminalClient terminal = TerminalClient.open(SERVER, id)) {
            terminal.type("word\n");
            terminal.await("got word");
        }
        ended(id);
    }

    private void input(String note) {
        String id = http.start("cat" + note, "accepts_input", true);
        http.input(id, "text", "word\n", "eof", true).hasStatus(200);
        ended(id);
    }

    private void batch(String note) {
        Object[] items = {Map.of("cmd", "true" + note), Map.of("cmd", "exit 2" + note), Map.of("cmd", "echo 3" + note)};
        http.post("/v1/commands/batch", Json.object("items", items)).hasStatus(200);
    }

    /** One that leaves while there is more to come, and one that stays until the end. */
    private void reader(String note) throws Exception {
        String id = http.start("while sleep 0.05; do echo more; done" + note);
        try (EventStream left = EventStream.open(SERVER, "/v1/tasks/" + id + "/events");
                EventStream all = EventStream.open(SERVER, "/v1/events")) {
            left.awaitType("output");
            all.awaitType("output");
        }
        try (EventStream stayed = EventStream.open(SERVER, "/v1/tasks/" + id + "/events")) {
            http.stop(id, "grace_ms", 0).hasStatus(200);
            stayed.awaitEnded();
        }
        http.delete("/v1/tasks/" + id).hasStatus(204);
    }

    private void signalled(String note) {
        String id = http.start("sleep 30" + note);
        http.signal(id, "INT").hasStatus(200);
        ended(id);
    }

    private void stopped(String note) {
        String id = http.start("setsid sleep 30 & sleep 30" + note);
        http.stop(id, "grace_ms", 100).hasStatus(200);
        http.delete("/v1/tasks/" + id).hasStatus(204);
    }

    private void refused() {
        http.run("true", "workdir", "/no/such/folder").hasStatus(422);
        http.run(List.of("/no/such/program")).hasStatus(422);
        http.run(" ").hasStatus(400);
    }

    /** Its command becomes a task when its window closes. */
    private void hangUp(int number) throws Exception {
        String left = "/v1/tasks?status=all&label=left%3Dn" + number;
        try (RawHttp caller = RawHttp.to(SERVER.port())) {
            caller.post(
                    SERVER,
                    "/v1/commands",
                    Json.write(Calls.command(
                            "sleep 30 # " + number, "yield_time_ms", 100, "labels", Map.of("left", "n" + number))));
            await().atMost(Calls.PATIENCE)
                    .until(() -> !http.get(left).at("/tasks").isEmpty());
        }
        String id = http.get(left).text("/tasks/0/task_id");
        http.stop(id, "grace_ms", 0).hasStatus(200);
        ended(id);
    }

    private void ended(String id) {
        http.awaitEnd(id);
        http.delete("/v1/tasks/" + id).hasStatus(204);
    }
}
