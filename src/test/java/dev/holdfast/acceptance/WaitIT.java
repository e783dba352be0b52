package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Section 11: {@code POST /v1/wait}. */
class WaitIT {
    private static final Duration LONG_BEFORE_ITS_TIME = Duration.ofSeconds(60);

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @AfterEach
    void stopAll() {
        http.stopAll();
    }

    private static Map<String, @Nullable Object> until(String task, String until, Object... more) {
        Map<String, @Nullable Object> condition = Json.object("task_id", task, "until", until);
        condition.putAll(Json.object(more));
        return condition;
    }

    private Answer wait(String which, int timeoutMs, Object... conditions) {
        return http.post("/v1/wait", Json.object(which, conditions, "timeout_ms", timeoutMs));
    }

    private Answer any(Object... conditions) {
        return wait("any", 120_000, conditions);
    }

    private Answer all(Object... conditions) {
        return wait("all", 120_000, conditions);
    }

    private static Answer told(Answer answer, List<Integer> satisfied, List<Integer> impossible) {
        answer.hasStatus(200);
        assertThat(numbers(answer.at("/satisfied"))).as(answer.body()).isEqualTo(satisfied);
        assertThat(numbers(answer.at("/impossible"))).as(answer.body()).isEqualTo(impossible);
        assertThat(answer.at("/timed_out").asBoolean(true)).isFalse();
        assertThat(answer.took()).isLessThan(LONG_BEFORE_ITS_TIME);
        return answer;
    }

    private static List<Integer> numbers(JsonNode list) {
        return IntStream.range(0, list.size())
                .mapToObj(i -> list.get(i).asInt())
                .toList();
    }

    @Test
    void theEnd() {
        String id = http.start("sleep 0.5; exit 3");

        Answer answer = told(any(until(id, "end")), List.of(0), List.of());

        assertThat(answer.at("/tasks")).hasSize(1);
        assertThat(answer.text("/tasks/0/task_id")).isEqualTo(id);
        assertThat(answer.text("/tasks/0/exit_status")).isEqualTo("3");
        assertThat(answer.at("/tasks/0")).isEqualTo(http.task(id));
    }

    @Test
    void aLineAndTheOneAfterIt() {
        String id = http.start("echo step 1; echo noise >&2; sleep 0.3; echo step 2; sleep 161");

        Answer first = told(any(until(id, "output_matches", "pattern", "^step \\d")), List.of(0), List.of());
        String cursor = first.text("/matches/0/cursor");
        Answer second = told(
                any(until(id, "end"), until(id, "output_matches", "pattern", "^step \\d", "cursor", cursor)),
                List.of(1),
                List.of());

        assertThat(first.text("/matches/0/text")).isEqualTo("step 1");
        assertThat(second.text("/matches/0/text")).isEqualTo("step 2");
        assertThat(second.at("/matches/0/index").asInt(-1)).isEqualTo(1);
        Answer rest = http.get("/v1/tasks/" + id + "/output?cursor=" + cursor).hasStatus(200);
        assertThat(rest.text("/text")).contains("step 2").doesNotContain("step 1");
    }

    @Test
    void aPortOfItsOwn() {
        int port = PackagedServer.freePort();
        String id = http.start("sleep 0.3; exec python3 -m http.server " + port + " --bind 127.0.0.1");

        Answer answer = told(any(until(id, "port_open", "port", port)), List.of(0), List.of());

        assertThat(answer.at("/tasks/0/ports").toString()).isEqualTo("[" + port + "]");
    }

    @Test
    void silence() {
        String id = http.start("for i in 1 2 3 4 5; do echo $i; sleep 0.2; done; sleep 162");

        told(any(until(id, "idle", "idle_ms", 2500)), List.of(0), List.of());

        assertThat(http.output(id).strip()).endsWith("5");
        told(any(until(id, "idle", "idle_ms", 2500)), List.of(0), List.of());
    }

    @Test
    void aQuestionOnTheTerminalAndAReadOfStdin() {
        String terminal = http.start("sleep 0.3; read -p 'Go on? ' x; sleep 63", "tty", true);
        String stdin = http.start("sleep 0.3; cat; sleep 64", "accepts_input", true);
        String busy = http.start("while :; do :; done", "accepts_input", true);

        Answer answer =
                told(all(until(terminal, "needs_input"), until(stdin, "needs_input")), List.of(0, 1), List.of());

        assertThat(answer.at("/tasks").findValuesAsText("waiting")).containsExactly("input", "input");
        assertThat(wait("any", 500, until(busy, "needs_input")).at("/timed_out").asBoolean())
                .isTrue();
    }

    @Test
    void anyOfSeveralTasksAndAllOfThem() {
        String slow = http.start("sleep 165");
        String quick = http.start("sleep 0.4; echo done");
        String quicker = http.start("echo ready; sleep 0.2");

        told(any(until(slow, "end"), until(quick, "end")), List.of(1), List.of());
        Answer both = told(
                all(until(quicker, "end"), until(quick, "end"), until(quick, "output_matches", "pattern", "done")),
                List.of(0, 1, 2),
                List.of());
        assertThat(both.at("/tasks").findValuesAsText("task_id")).containsExactly(quicker, quick);
    }

    @Test
    void theTimeIsOver() {
        String id = http.start("echo ready; sleep 66");
        http.awaitOutput(id, "ready");

        Answer answer = wait("all", 700, until(id, "end"), until(id, "output_matches", "pattern", "ready"))
                .hasStatus(200);

        assertThat(answer.at("/timed_out").asBoolean()).isTrue();
        assertThat(numbers(answer.at("/satisfied"))).containsExactly(1);
        assertThat(answer.at("/impossible")).isEmpty();
        assertThat(answer.text("/tasks/0/status")).isEqualTo("running");
        assertThat(answer.took()).isBetween(Duration.ofMillis(700), LONG_BEFORE_ITS_TIME);
        assertThat(wait("any", 0, until(id, "end")).at("/timed_out").asBoolean())
                .isTrue();
    }

    @Test
    void ofOneThatHasEndedEverythingIsKnown() {
        String id = http.start("echo built in 3 s; exit 4", "accepts_input", true);
        http.awaitEnd(id);

        told(all(until(id, "end"), until(id, "output_matches", "pattern", "built in \\d")), List.of(0, 1), List.of());
        told(
                any(
                        until(id, "output_matches", "pattern", "failed"),
                        until(id, "port_open", "port", 80),
                        until(id, "idle", "idle_ms", 1),
                        until(id, "needs_input")),
                List.of(),
                List.of(0, 1, 2, 3));
    }

    @Test
    void whatCantComeTrueIsToldWhenItsTaskEnds() {
        String id = http.start("sleep 0.5; echo failed");
        String other = http.start("sleep 167");

        told(all(until(id, "output_matches", "pattern", "ready"), until(other, "end")), List.of(), List.of(0));
        told(any(until(id, "port_open", "port", 80)), List.of(), List.of(0));
        Answer goesOn = wait("any", 300, until(id, "needs_input"), until(other, "end"));
        assertThat(goesOn.at("/timed_out").asBoolean()).isTrue();
        assertThat(numbers(goesOn.at("/impossible"))).containsExactly(0);
    }

    @Test
    void anExpressionThatWouldBacktrackForEver() {
        String id = http.start("head -c 200000 /dev/zero | tr '\\0' a; echo b");
        http.awaitEnd(id);

        told(any(until(id, "output_matches", "pattern", "(a+)+(a+)+$x")), List.of(), List.of(0));
    }

    @Test
    void manyConditionsAndOneTooMany() {
        String id = http.start("sleep 0.5");
        Object[] many = Collections.nCopies(64, until(id, "end")).toArray();
        Object[] tooMany = Collections.nCopies(65, until(id, "end")).toArray();

        assertThat(all(many).hasStatus(200).at("/satisfied")).hasSize(64);
        assertThat(any(tooMany).refused(400, "invalid_tool_input").text("/details/parse_error"))
                .isEqualTo("`any` must hold 1 to 64 conditions, not 65");
    }

    @Test
    void aTaskThatIsNotThere() {
        String id = http.start("sleep 68");

        for (String missing : List.of("task_01ARZ3NDEKTSV4RRFFQ69G5FAV", "task_1", "")) {
            Answer answer = any(until(id, "end"), until(missing, "end")).refused(404, "task_not_found");
            assertThat(answer.took()).isLessThan(LONG_BEFORE_ITS_TIME);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '%',
            value = {
                "{} | `any`",
                "{'any':[],'timeout_ms':5} | `any`",
                "{'any':[C],'all':[C]} | `all`",
                "{'any':[C],'timeout_ms':600001} | `timeout_ms`",
                "{'any':[C],'timeout':1} | `timeout`",
                "{'any':C} | `any`",
                "{'any':[{'until':'end'}]} | `any[0].task_id`",
                "{'any':[C,{'task_id':'T'}]} | `any[1].until`",
                "{'all':[{'task_id':'T','until':'ended'}]} | `all[0].until`",
                "{'all':[{'task_id':'T','until':'end','pattern':'x'}]} | `all[0].pattern`",
                "{'all':[{'task_id':'T','until':'idle','idle_ms':1,'port':1}]} | `all[0].port`",
                "{'all':[{'task_id':'T','until':'idle'}]} | `all[0].idle_ms`",
                "{'all':[{'task_id':'T','until':'idle','idle_ms':0}]} | `all[0].idle_ms`",
                "{'all':[{'task_id':'T','until':'port_open'}]} | `all[0].port`",
                "{'all':[{'task_id':'T','until':'port_open','port':65536}]} | `all[0].port`",
                "{'all':[{'task_id':'T','until':'output_matches'}]} | `all[0].pattern`",
                "{'all':[{'task_id':'T','until':'output_matches','pattern':'('}]} | `all[0].pattern`",
                "{'all':[{'task_id':'T','until':'output_matches','pattern':''}]} | `all[0].pattern`",
                "{'all':[{'task_id':'T','until':'output_matches','pattern':'x','cursor':'z'}]} | `cursor`",
                "{'all':[{'task_id':'T','until':'needs_input','cursor':'0.0'}]} | `all[0].cursor`",
            })
    void anotherBodyIsRefusedByTheNameOfItsField(String body, String field) {
        String id = http.start("sleep 69");
        String condition = "{'task_id':'" + id + "','until':'end'}";
        String json =
                body.replace("C", condition).replace("'T'", "'" + id + "'").replace('\'', '"');

        Answer answer = http.send("POST", "/v1/wait", json).refused(400, "invalid_tool_input");

        assertThat(answer.text("/details/parse_error")).startsWith(field);
    }

    @Test
    void ofSeveralThatHoldAllAreNamed() {
        String id = http.start("echo ready; cat", "accepts_input", true);
        any(until(id, "needs_input"));

        Object[] several = {
            until(id, "needs_input"),
            until(id, "idle", "idle_ms", 1),
            until(id, "output_matches", "pattern", "ready"),
            until(id, "end")
        };
        // What holds first waits for the others for 200 ms, in which a busy machine may not look at them.
        Answer answer = await().atMost(Calls.PATIENCE)
                .until(() -> any(several), all -> all.at("/satisfied").size() > 2);

        told(answer, List.of(0, 1, 2), List.of());
    }

    @Test
    void aCursorBeyondTheEnd() {
        String id = http.start("sleep 70");

        any(until(id, "output_matches", "pattern", "x", "cursor", "10.0")).refused(410, "cursor_expired");
    }

    /** What watches the output for it goes with it. */
    @Test
    void aCallerWhoHangsUpEndsItsWait() throws Exception {
        String id = http.start("sleep 71");
        await().atMost(Calls.PATIENCE).until(() -> ServerUsage.outputWatches(http) == 0);
        try (RawHttp caller = RawHttp.to(SERVER.port())) {
            caller.post(
                    SERVER,
                    "/v1/wait",
                    Json.write(Json.object(
                            "any", List.of(until(id, "output_matches", "pattern", "x")), "timeout_ms", 600_000)));
            await().atMost(Calls.PATIENCE).until(() -> ServerUsage.outputWatches(http) > 0);
        }

        await().atMost(Calls.PATIENCE).until(() -> ServerUsage.outputWatches(http) == 0);
    }
}
