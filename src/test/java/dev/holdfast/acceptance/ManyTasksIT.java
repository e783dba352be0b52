package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server that is killed over many running tasks is back in little more time than one without any. */
class ManyTasksIT {
    @RegisterExtension
    static final PackagedServer EMPTY = PackagedServer.shared();

    /** Set in the long form, which has the machine for itself and asks for the figure. */
    private static final @Nullable Integer FIGURE = Integer.getInteger("holdfast.many.tasks");

    private static final int TASKS = FIGURE == null ? 150 : FIGURE;

    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer().with("HOLDFAST_LIMITS_RUNNING", Integer.toString(TASKS));

    /** How many of them have a terminal, read input, are signalled, are stopped. */
    private static final int OF_EACH = 10;

    /** On a machine with other work only the best of some says what it costs. */
    private static final int ROUNDS = 4;

    private final Calls http = SERVER.calls();

    @Test
    void theNextStartIsLittleLongerWithManyThatRun() throws Exception {
        List<String> ids = start();
        Map<String, Set<Long>> before = processes(ids);

        restartIsLittleLonger();

        assertThat(processes(ids)).isEqualTo(before);
        assertThat(active()).isEqualTo(TASKS);
        http.run("true").refused(429, "capacity_exhausted");
        aPageCostsLittleMoreThanATask(ids.getLast());
        endsAreRight(ids, before);
        assertThat(active()).isEqualTo(TASKS - 4 * OF_EACH);
    }

    /** Terminals, then what reads its input, then what sleeps. */
    private List<String> start() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            if (i < OF_EACH) {
                ids.add(http.start("cat > /dev/null; exit 5 # " + i, "tty", true));
            } else if (i < 2 * OF_EACH) {
                ids.add(http.start("cat > /dev/null; exit 6 # " + i, "accepts_input", true));
            } else {
                ids.add(http.start("exec sleep 600 # " + i));
            }
        }
        return ids;
    }

    /** What each task consists of, when all of them have begun. */
    private static Map<String, Set<Long>> processes(List<String> ids) {
        return await().atMost(Calls.PATIENCE)
                .until(
                        () -> {
                            Map<String, Set<Long>> found = Processes.byValue("HOLDFAST_TASK");
                            found.keySet().retainAll(ids);
                            return found;
                        },
                        found -> haveBegun(ids, found));
    }

    private static boolean haveBegun(List<String> ids, Map<String, Set<Long>> found) {
        for (int i = 0; i < ids.size(); i++) {
            int all = switch (i / OF_EACH) {
                case 0 -> 3; // launcher, shell and cat
                case 1 -> 4; // and who holds its input open
                default -> 2;
            };
            if (found.getOrDefault(ids.get(i), Set.of()).size() < all) {
                return false;
            }
        }
        return true;
    }

    /**
     * Six milliseconds for each of them; beside other tests, which take what they like of the machine, three times as
     * long in all.
     */
    private static void restartIsLittleLonger() throws Exception {
        Duration without = Duration.ofDays(1);
        Duration with = Duration.ofDays(3);
        for (int i = 0; i < ROUNDS && with.compareTo(atMost(without)) > 0; i++) {
            without = shorter(without, restart(EMPTY));
            with = shorter(with, restart(SERVER));
            System.out.printf("Ready after a kill: without tasks %s, with %d %s%n", without, TASKS, with);
        }
        assertThat(with).isLessThanOrEqualTo(atMost(without));
    }

    private static Duration atMost(Duration without) {
        return FIGURE == null ? without.multipliedBy(3) : without.plusMillis(6L * TASKS);
    }

    /** A look at all processes for each task of the page would cost a hundred times one task. */
    private void aPageCostsLittleMoreThanATask(String id) {
        Duration page = Duration.ofDays(1);
        Duration task = Duration.ofDays(1);
        for (int i = 0; i < 2 * ROUNDS; i++) {
            Answer answer = http.get("/v1/tasks?limit=100");
            assertThat(answer.json().path("tasks"))
                    .hasSize(100)
                    .allMatch(one -> one.at("/process/pid").asLong() > 1);
            page = shorter(page, answer.took());
            task = shorter(task, http.get("/v1/tasks/" + id).took());
        }
        System.out.printf("A page of 100 of %d tasks took %s, one task %s%n", TASKS, page, task);
        assertThat(page).isLessThan(task.multipliedBy(20));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration restart(PackagedServer server) throws Exception {
        server.kill();
        long from = System.nanoTime();
        server.start();
        return Duration.ofNanos(System.nanoTime() - from);
    }

    private long active() {
        return http.get("/v1/tasks?limit=1").at("/total_active").asLong();
    }

    private void endsAreRight(List<String> ids, Map<String, Set<Long>> processes) {
        for (int i = 0; i < 4 * OF_EACH; i++) {
            String id = ids.get(i);
            assertThat(processes.get(id)).contains(http.pid(id));
            JsonNode ended = switch (i / OF_EACH) {
                case 0, 1 -> endOfInput(id);
                case 2 -> killed(id);
                default -> stopped(id);
            };
            assertThat(ended.path("exit_status").asInt(-1))
                    .as(ended.toString())
                    .isEqualTo(
                            switch (i / OF_EACH) {
                                case 0 -> 5;
                                case 1 -> 6;
                                default -> -1;
                            });
            if (i / OF_EACH == 1) { // who held its input open was told to end, and may not have done so yet
                processes.getOrDefault(id, Set.of()).forEach(Processes::awaitGone);
            }
            assertThat(processes.get(id)).noneMatch(Processes::alive);
        }
    }

    private JsonNode endOfInput(String id) {
        http.input(id, "eof", true).hasStatus(200);
        return http.awaitEnd(id);
    }

    private JsonNode killed(String id) {
        http.signal(id, "KILL").hasStatus(200);
        JsonNode ended = http.awaitEnd(id);
        assertThat(ended.path("exit_signal").asText()).isEqualTo("SIGKILL");
        return ended;
    }

    private JsonNode stopped(String id) {
        JsonNode ended = http.stop(id, "grace_ms", 1000).hasStatus(200).at("/task");
        assertThat(ended.path("status").asText()).isEqualTo("cancelled");
        return ended;
    }
}
