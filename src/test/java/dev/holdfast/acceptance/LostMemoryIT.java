package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Instant;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An agent that lost its memory finds its work: what ended since a time, what became of an id, what runs. */
class LostMemoryIT {
    private static final String UNKNOWN = "task_01JABCDEFGHJKMNPQRSTVWXYZ0";

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @AfterEach
    void empty() {
        http.empty();
    }

    @Test
    void whatEndedSinceATimeIsListed() {
        String long1 = http.start("sleep 600");
        String before = ended("echo before");
        String moment = http.task(before).path("ended_at").asText();
        await().until(() -> Instant.now().isAfter(Instant.parse(moment).plusMillis(1)));
        String after = ended("echo after");
        String running = http.start("sleep 600");
        http.stop(long1, "force", true);
        String since = Instant.parse(moment).plusMillis(1).toString();

        assertThat(ids("status=ended&ended_after=" + since)).containsExactly(after, long1);
        assertThat(ids("status=all&ended_after=" + since)).containsExactly(after, long1);
        assertThat(ids("status=completed&ended_after=" + since)).containsExactly(after);
        assertThat(ids("status=failed&ended_after=" + since)).isEmpty();
        assertThat(ids("status=ended&q=echo&ended_after=" + since)).containsExactly(after);
        assertThat(ids("status=ended&limit=1&ended_after=" + since)).containsExactly(after);
        assertThat(ids("status=ended&ended_after=2020-01-01T01:00:00%2B01:00")).containsExactly(after, before, long1);
        assertThat(ids("status=ended&ended_after=2120-01-01T00:00:00Z")).isEmpty();
        assertThat(ids("")).containsExactly(running);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ended_after=2026-03-01T12:00:00Z",
                "status=active&ended_after=2026-03-01T12:00:00Z",
                "status=running&ended_after=2026-03-01T12:00:00Z",
                "status=cancelling&ended_after=2026-03-01T12:00:00Z",
                "status=ended&ended_after=yesterday",
                "status=ended&ended_after=2026-03-01",
                "status=ended&ended_after=2026-03-01T12:00:00",
                "status=ended&ended_after=",
                "status=ended&ended_after=2026-03-01T12:00:00Z&ended_after=2026-03-01T13:00:00Z"
            })
    void aTimeThatIsNoneOrForNoneIsRefused(String query) {
        Answer answer = http.get("/v1/tasks?" + query).refused(400, "invalid_tool_input");

        assertThat(answer.text("/details/parse_error")).contains("ended_after");
        assertThat(answer.text("/recovery_hint")).isNotBlank();
    }

    @ParameterizedTest
    @ValueSource(strings = {UNKNOWN, "no-id", "task_01jabcdefghjkmnpqrstvwxyz0"})
    void anUnknownIdIsAnsweredWithWhatRuns(String id) {
        assertThat(http.get("/v1/tasks/" + id)
                        .refused(404, "task_not_found")
                        .at("/details/running")
                        .toString())
                .isEqualTo("[]");
        ended("echo over");
        String first = http.start("sleep 601");
        List<String> others = List.of(
                http.start("TOKEN=abc sleep 602"),
                http.start("sleep 603"),
                http.start("sleep 604"),
                http.start("sleep 605"));
        String last = http.start("sleep 606");

        Answer answer = http.get("/v1/tasks/" + id + "/output").refused(404, "task_not_found");
        List<String> running = StreamSupport.stream(
                        answer.at("/details/running").spliterator(), false)
                .map(task -> task.path("task_id").asText() + " "
                        + task.path("command").asText())
                .toList();
        assertThat(running)
                .hasSize(5)
                .startsWith(last + " sleep 606")
                .endsWith(others.getFirst() + " TOKEN=*** sleep 602");
        assertThat(answer.body()).doesNotContain(first).doesNotContain("forgotten_at");
    }

    private String ended(String cmd) {
        String id = http.start(cmd);
        http.awaitEnd(id);
        return id;
    }

    private List<String> ids(String query) {
        var tasks = http.get("/v1/tasks?" + query).hasStatus(200).at("/tasks");
        return StreamSupport.stream(tasks.spliterator(), false)
                .map(task -> task.path("task_id").asText())
                .toList();
    }
}
