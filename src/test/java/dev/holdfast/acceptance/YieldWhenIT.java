package dev.holdfast.acceptance;

import static dev.holdfast.acceptance.Calls.command;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Section 2: {@code yield_when}: what ends the window early. */
class YieldWhenIT {
    private static final Duration LONG_BEFORE_ITS_WINDOW = Duration.ofSeconds(60);

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @AfterEach
    void stopAll() {
        http.stopAll();
    }

    @Test
    void aLineThatMatches() {
        Answer answer = run(
                "for i in 1 2 3; do echo step $i; sleep 0.2; done; echo ready on 80; sleep 160",
                Map.of("output_matches", "^ready on \\d+"));

        becauseOf(answer, "output_matches");
        assertThat(answer.text("/initial_output_preview")).contains("ready on 80");
    }

    @Test
    void aLineOnStderrMatchesToo() {
        becauseOf(
                run("sleep 0.3; echo listening >&2; sleep 161", Map.of("output_matches", "listening")),
                "output_matches");
    }

    @Test
    void aMatchThatCameInPieces() {
        becauseOf(
                run("printf rea; sleep 0.4; printf dy; sleep 162", Map.of("output_matches", "ready")),
                "output_matches");
    }

    @Test
    void aLineThatIsDrawnOver() {
        Answer answer = run(
                "for i in 1 50 100; do printf '\\r%s%%' $i; sleep 0.2; done; sleep 171",
                Map.of("output_matches", "^100%$"));

        becauseOf(answer, "output_matches");
        assertThat(answer.text("/initial_output_preview")).isEqualTo("100%");
    }

    @Test
    void aPortOfItsOwn() {
        int port = PackagedServer.freePort();
        Answer answer = run("python3 -m http.server " + port + " --bind 127.0.0.1", Map.of("port_open", port));

        becauseOf(answer, "port_open");
        assertThat(http.task(answer.text("/task_handle/task_id")).at("/ports").toString())
                .isEqualTo("[" + port + "]");
    }

    @Test
    void aPortOfADescendant() {
        int port = PackagedServer.freePort();
        String nested = "(setsid sh -c 'python3 -m http.server " + port + "' &) ; sleep 163";

        becauseOf(run(nested, Map.of("port_open", port)), "port_open");
    }

    @Test
    void aPortOfSomebodyElseDoesNotCount() throws Exception {
        try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Answer answer = http.run(
                    "sleep 64", "yield_time_ms", 1200, "yield_when", Map.of("port_open", other.getLocalPort()));

            becauseOf(answer, "yield_time");
            assertThat(answer.took()).isGreaterThanOrEqualTo(Duration.ofMillis(1200));
        }
    }

    @Test
    void silence() {
        Answer answer = run("for i in 1 2 3 4 5; do echo $i; sleep 0.2; done; sleep 165", Map.of("idle_ms", 2500));

        becauseOf(answer, "idle_ms");
        assertThat(answer.text("/initial_output_preview").strip()).endsWith("5");
        assertThat(answer.took()).isGreaterThan(Duration.ofSeconds(3));
    }

    @Test
    void aQuestionOnTheTerminal() {
        Answer answer = http.run(
                "sleep 0.3; read -p 'Go on? ' x; sleep 166",
                "tty",
                true,
                "yield_time_ms",
                120_000,
                "yield_when",
                Map.of("needs_input", true));

        becauseOf(answer, "needs_input");
        assertThat(answer.text("/initial_output_preview")).contains("Go on?");
    }

    @Test
    void aReadOfStdin() {
        Answer answer = http.run(
                "sleep 0.3; cat; sleep 167",
                "accepts_input",
                true,
                "yield_time_ms",
                120_000,
                "yield_when",
                Map.of("needs_input", true));

        becauseOf(answer, "needs_input");
    }

    @Test
    void aBusyCommandNeedsNoInput() {
        Answer answer = http.run(
                "while :; do :; done",
                "accepts_input",
                true,
                "yield_time_ms",
                1000,
                "yield_when",
                Map.of("needs_input", true));

        becauseOf(answer, "yield_time");
    }

    @Test
    void theFirstOfSeveral() {
        Map<String, Object> conditions = Json.object(
                "output_matches", "never", "port_open", PackagedServer.freePort(), "idle_ms", 500, "needs_input", true);

        becauseOf(run("echo one; sleep 168", conditions), "idle_ms");
    }

    @Test
    void theEndComesFirst() {
        Answer answer = run("sleep 0.3; echo over", Map.of("output_matches", "never", "idle_ms", 60_000));

        assertThat(answer.completed().text("/stdout_preview").strip()).isEqualTo("over");
    }

    @Test
    void anExpressionThatWouldBacktrackForEverHangsNothing() {
        String cmd = "head -c 200000 /dev/zero | tr '\\0' a; echo b; sleep 69";
        Answer answer = http.post(
                "/v1/commands",
                command(cmd, "yield_time_ms", 2000, "yield_when", Map.of("output_matches", "(a+)+(a+)+$x")));

        becauseOf(answer, "yield_time");
        assertThat(answer.took()).isLessThan(Duration.ofSeconds(30));
        assertThat(http.run("echo alive").completed().took()).isLessThan(Duration.ofSeconds(10));
    }

    private Answer run(String cmd, Map<String, Object> conditions) {
        return http.run(cmd, "yield_time_ms", 120_000, "yield_when", conditions);
    }

    private static void becauseOf(Answer answer, String condition) {
        answer.promoted();
        assertThat(answer.text("/promoted_because")).isEqualTo(condition);
        assertThat(answer.took()).isLessThan(LONG_BEFORE_ITS_WINDOW);
    }
}
