package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 6: what a poll tells of processes is as last seen, and costs about what a read of output costs. */
class PollsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private static final int TASKS = 100;
    private static final int POLLS = 200;
    /** A pass reads a hundred processes; a poll must not. */
    private static final double READS = 2;

    private static final Pattern PASSES = Pattern.compile("(?m)^holdfast_passes_total(?:\\{.*})? ([0-9.E]+)$");

    private final Calls http = SERVER.calls();

    @Test
    void aPollTellsWhenItWasSeenAndThatIsASecondAgoAtMost() {
        String id = http.start("sleep 91");
        http.awaitTask(id, task -> task.path("processes").size() == 1);

        await().during(Duration.ofSeconds(3))
                .pollInterval(Duration.ofMillis(50))
                .untilAsserted(() -> {
                    Instant asked = Instant.now();
                    JsonNode task = http.task(id);
                    assertThat(seen(task)).isBetween(asked.minusMillis(1050), Instant.now());
                    assertThat(seen(http.get("/v1/tasks").at("/tasks/0")))
                            .isBetween(asked.minusMillis(1050), Instant.now());
                });
        http.stop(id, "force", true);
        assertThat(http.task(id).get("observed_at").isNull()).isTrue();
    }

    @Test
    void aFreshPollLooksNow() {
        String id = http.start("sleep 92");
        http.awaitTask(id, task -> task.path("processes").size() == 1);
        for (int i = 0; i < 5; i++) {
            Instant asked = Instant.now().minusMillis(1);
            assertThat(seen(http.get("/v1/tasks/" + id + "?fresh=true")
                            .hasStatus(200)
                            .json()))
                    .isAfterOrEqualTo(asked);
            assertThat(seen(http.get("/v1/tasks?fresh=true").at("/tasks/0"))).isAfterOrEqualTo(asked);
            http.get("/v1/tasks/" + id + "?fresh=false").hasStatus(200);
        }
        http.stop(id, "force", true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"?fresh=1", "?fresh=", "?fresh=TRUE", "?fresh=true&fresh=true", "?old=true"})
    void anotherValueIsRefused(String query) {
        String id = http.start("sleep 93");
        http.get("/v1/tasks/" + id + query).refused(400, "invalid_tool_input");
        http.get("/v1/tasks" + query).refused(400, "invalid_tool_input");
        http.stop(id, "force", true);
    }

    /** An agent that looks once a minute must not be told what was true a minute ago. */
    @Test
    void aPollAfterAQuietTimeIsNotOfBefore() {
        String id = http.start("cat", "accepts_input", true);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));
        awaitQuiet();
        http.input(id, "eof", true).hasStatus(200);
        String other = http.start("sleep 94");
        http.awaitEnd(id);
        boolean recent = false;
        for (int i = 0; i < 3 && !recent; i++) { // a look that is held up for two seconds is not waited for
            awaitQuiet();
            Instant asked = Instant.now();
            recent = seen(http.task(other)).isAfter(asked.minusMillis(1050));
        }
        assertThat(recent).isTrue();
        http.stop(other, "force", true);
    }

    @Test
    void nothingIsLookedAtWhileNobodyAsksAndOnceASecondWhileSomebodyDoes() {
        String id = http.start("sleep 95");
        http.task(id);
        awaitQuiet();
        double before = passes();
        Instant began = Instant.now();
        await().pollInterval(Duration.ofMillis(20)).until(() -> {
            http.task(id);
            return Duration.between(began, Instant.now()).toSeconds() >= 4;
        });
        double seconds = Duration.between(began, Instant.now()).toMillis() / 1000.0;
        assertThat(passes() - before).isBetween(2.0, seconds + 2);
        http.stop(id, "force", true);
    }

    @Test
    void aHundredRunningTasksMakeNoPollDearer() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            ids.add(http.start("exec sleep 96 # " + i));
        }
        Duration read = Duration.ofDays(1);
        Duration poll = Duration.ofDays(1);
        for (int i = 0; i < 10 && (i < 2 || poll.toNanos() > READS * read.toNanos()); i++) {
            read = shorter(read, median("/output", ids));
            poll = shorter(poll, median("", ids));
        }
        System.out.printf("With %d running tasks a read of output took %s, a poll %s%n", TASKS, read, poll);
        assertThat(poll.toNanos()).isLessThan((long) (READS * read.toNanos()));
        ids.forEach(id -> http.stop(id, "force", true));
    }

    private static Instant seen(JsonNode task) {
        return Instant.parse(task.path("observed_at").asText());
    }

    private Duration median(String path, List<String> ids) {
        long[] took = new long[POLLS];
        for (int i = 0; i < POLLS; i++) {
            took[i] = http.get("/v1/tasks/" + ids.get(i % ids.size()) + path)
                    .hasStatus(200)
                    .took()
                    .toNanos();
        }
        Arrays.sort(took);
        return Duration.ofNanos(took[POLLS / 2]);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private void awaitQuiet() {
        double[] last = {passes()};
        await().atMost(Calls.PATIENCE).pollInterval(Duration.ofMillis(2500)).until(() -> {
            double before = last[0];
            last[0] = passes();
            return last[0] == before;
        });
    }

    private double passes() {
        MatchResult found = PASSES.matcher(http.get("/q/metrics").hasStatus(200).body())
                .results()
                .findFirst()
                .orElseThrow();
        return Double.parseDouble(found.group(1));
    }
}
