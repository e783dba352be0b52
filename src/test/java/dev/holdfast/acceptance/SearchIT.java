package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 7: lines of an output by what they say. */
class SearchIT {
    /** 20 MB with one error, two lines of its surroundings on either side. */
    private static final String BUILD =
            "seq -f 'step %.0f: compiling src/main/java/dev/app/Service.java, all is well' 1 300000;"
                    + " echo 'compiling Broken.java'; echo 'Broken.java:7: error: expected a semicolon'; echo '    int x = 5'; echo '             ^';"
                    + " seq -f 'step %.0f: skipped' 300001 310000; exit 1";

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    private String ended(String cmd) {
        String id = http.start(cmd);
        http.awaitEnd(id);
        return id;
    }

    private static String query(String pattern) {
        return "?pattern=" + URLEncoder.encode(pattern, StandardCharsets.UTF_8);
    }

    private Answer search(String id, String pattern, String more) {
        return http.get("/v1/tasks/" + id + "/output/search" + query(pattern) + more);
    }

    private JsonNode only(String id, String pattern) {
        JsonNode matches = search(id, pattern, "").hasStatus(200).at("/matches");
        assertThat(matches).as(matches.toString()).hasSize(1);
        return matches.get(0);
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(item ->
                texts.add(item.isTextual() ? item.asText() : item.path("text").asText()));
        return texts;
    }

    @Test
    void theFirstErrorOfALargeBuildAndItsSurroundings() {
        String id = ended(BUILD);

        Answer answer = search(id, "(?i)\\berror\\b", "&max=1").hasStatus(200);

        JsonNode match = answer.at("/matches/0");
        assertThat(match.path("stream").asText()).isEqualTo("stdout");
        assertThat(match.path("line").asInt()).isEqualTo(300_002);
        assertThat(match.path("text").asText()).isEqualTo("Broken.java:7: error: expected a semicolon");
        assertThat(texts(match.path("before")))
                .containsExactly(
                        "step 300000: compiling src/main/java/dev/app/Service.java, all is well",
                        "compiling Broken.java");
        assertThat(texts(match.path("after"))).containsExactly("    int x = 5", "             ^");
        assertThat(answer.at("/more").asBoolean(true)).isFalse();
        assertThat(answer.at("/searched_bytes").asLong())
                .isEqualTo(http.task(id).at("/output/stdout_bytes").asLong())
                .isGreaterThan(20_000_000);
        String page = "/v1/tasks/" + id + "/output?stream=stdout&max_bytes=20&cursor="
                + match.path("offset").asLong();
        assertThat(http.get(page).text("/text")).isEqualTo("Broken.java:7: error");
        assertThat(answer.took()).isLessThan(Duration.ofSeconds(60));
    }

    @Test
    void fromTheEndTheNewestComesFirst() {
        String id = ended(BUILD);

        Answer answer = search(id, "^step \\d*0: skipped", "&max=2&from_end=true&context=1")
                .hasStatus(200);

        assertThat(texts(answer.at("/matches"))).containsExactly("step 310000: skipped", "step 309990: skipped");
        assertThat(answer.at("/matches/0/line").asInt()).isEqualTo(310_004);
        assertThat(texts(answer.at("/matches/1/before"))).containsExactly("step 309989: skipped");
        assertThat(answer.at("/more").asBoolean()).isTrue();
        assertThat(answer.at("/searched_bytes").asLong()).isLessThan(2_000_000);
        assertThat(search(id, "error", "&from_end=true").at("/matches/0/line").asInt())
                .isEqualTo(300_002);
    }

    @Test
    void bothStreamsOrOne() {
        String id = ended("echo out error; echo err error >&2; echo out error 2");

        Answer all = search(id, "error", "");
        assertThat(texts(all.at("/matches"))).containsExactly("out error", "out error 2", "err error");
        assertThat(all.at("/matches/2/stream").asText()).isEqualTo("stderr");
        assertThat(all.at("/searched_bytes").asInt()).isEqualTo(32);
        assertThat(texts(search(id, "error", "&stream=stderr").at("/matches"))).containsExactly("err error");
        assertThat(texts(search(id, "error", "&stream=stdout&max=1").at("/matches")))
                .containsExactly("out error");
        Answer two = search(id, "error", "&max=2");
        assertThat(texts(two.at("/matches"))).containsExactly("out error", "err error");
        assertThat(two.at("/more").asBoolean()).isTrue();
    }

    @Test
    void ofARunningTask() {
        String id = http.start("echo one; echo two; printf 'Password: '; sleep 600");
        http.awaitOutput(id, "Password");

        JsonNode match = only(id, "^Password: $");
        assertThat(match.path("line").asInt()).isEqualTo(3);
        assertThat(texts(match.path("before"))).containsExactly("one", "two");
        http.stop(id, "force", true);
        assertThat(only(id, "^Password").path("offset").asInt()).isEqualTo(8);
    }

    @Test
    void aLongLineIsCutAroundItsMatch() {
        String id = ended("echo before; head -c 3000000 /dev/zero | tr '\\0' x; printf ' needle ';"
                + " head -c 2000000 /dev/zero | tr '\\0' y; echo; echo after");

        JsonNode match = only(id, "needle");
        assertThat(match.path("text").asText())
                .hasSize(2000)
                .startsWith("…xxx")
                .contains("x needle y")
                .endsWith("yyy…");
        assertThat(match.path("line").asInt()).isEqualTo(2);
        assertThat(match.path("offset").asInt()).isEqualTo(7);
        assertThat(texts(match.path("before"))).containsExactly("before");
        assertThat(only(id, "^after$").path("line").asInt()).isEqualTo(3);
    }

    @Test
    void aLineIsWhatAPersonWouldRead() {
        String id = ended("printf 'dos error\\r\\nnext\\r\\n 10%%\\r 50%%\\r100%% done\\n\\033[1;31mERR\\033[0mOR\\n';"
                + " printf 'caf\\303\\251 \\377\\n'");

        assertThat(only(id, "error$").path("text").asText()).isEqualTo("dos error");
        assertThat(texts(only(id, "error$").path("after"))).containsExactly("next", "100% done");
        assertThat(search(id, "50%", "").at("/matches")).isEmpty();
        assertThat(only(id, "^100% done$").path("line").asInt()).isEqualTo(3);
        assertThat(only(id, "ERROR").path("text").asText()).isEqualTo("ERROR");
        assertThat(only(id, "é \uFFFD").path("text").asText()).isEqualTo("café \uFFFD");
        assertThat(search(id, "\\x1b|\\r", "").at("/matches")).isEmpty();
    }

    @Test
    void whatIsNotThereIsNotFound() {
        String id = ended("seq 1 1000");

        Answer answer = search(id, "nowhere", "");
        assertThat(answer.hasStatus(200).body()).isEqualTo("{\"matches\":[],\"more\":false,\"searched_bytes\":3893}");
        assertThat(search(ended("true"), ".", "").body())
                .isEqualTo("{\"matches\":[],\"more\":false,\"searched_bytes\":0}");
        assertThat(search(id, "7$", "&max=200").at("/matches")).hasSize(100);
        assertThat(search(id, "7$", "").at("/matches")).hasSize(20);
        assertThat(search(id, "7$", "").at("/more").asBoolean()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "?max=5",
                "?pattern=",
                "?pattern=(",
                "?pattern=(?=x)",
                "?pattern=a&pattern=b",
                "?pattern=x&stream=both",
                "?pattern=x&context=-1",
                "?pattern=x&context=21",
                "?pattern=x&max=0",
                "?pattern=x&max=201",
                "?pattern=x&from_end=1",
                "?pattern=x&cursor=5",
                "?regex=x"
            })
    void aBadParameterIsRefused(String query) {
        http.get("/v1/tasks/" + ended("true") + "/output/search" + query.replace("=(", "=%28"))
                .refused(400, "invalid_tool_input");
    }

    @Test
    void aPatternThatIsTooMuchIsRefused() {
        String id = ended("true");

        search(id, "x".repeat(10_000), "").hasStatus(200);
        search(id, "x".repeat(10_001), "").refused(400, "invalid_tool_input");
        http.get("/v1/tasks/task_01ARZ3NDEKTSV4RRFFQ69G5FAV/output/search?pattern=x")
                .refused(404, "task_not_found");
    }

    /** It ends when its caller has hung up; other calls go on meanwhile. */
    @Test
    void aHardPatternHoldsNobodyUp() throws Exception {
        String id = ended("head -c 20000000 /dev/zero | tr '\\0' a | fold -w 200");
        Path threads = Path.of("/proc/" + SERVER.pid() + "/task");
        for (int i = 0; i < 6; i++) {
            try (RawHttp caller = RawHttp.to(SERVER.port())) {
                caller.send(
                        "",
                        "GET /v1/tasks/" + id + "/output/search" + query("(a?){500}a\\ba") + " HTTP/1.1",
                        "Host: 127.0.0.1:" + SERVER.port(),
                        "Authorization: Bearer " + SERVER.token());
                await().atMost(Calls.PATIENCE).until(() -> searching(threads) > 0);
                http.get("/v1/tasks/" + id).hasStatus(200);
            }
        }
        assertThat(searching(threads)).isLessThanOrEqualTo(3);
        await().atMost(Duration.ofSeconds(60)).until(() -> searching(threads) == 0);
    }

    /** Threads that search, or did a moment ago. */
    private static long searching(Path threads) {
        try (var all = Files.list(threads)) {
            return all.filter(thread -> name(thread).startsWith("search-")).count();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static String name(Path thread) {
        try {
            return Files.readString(thread.resolve("comm"));
        } catch (java.io.IOException gone) {
            return "";
        }
    }
}
