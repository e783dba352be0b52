package dev.holdfast.api.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.problem.Problem;
import dev.holdfast.policy.Actor;
import dev.holdfast.policy.Mode;
import dev.holdfast.policy.Role;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GateTest {
    private static final String TOKEN = "s3cret-token";
    private static final String RIGHT = "Bearer " + TOKEN;
    private final Gate gate = new Gate(
            new Callers("192.168.1.5", List.of("Box.local", "fe80::1"), List.of("http://localhost:3000")),
            new Tokens(
                    TOKEN,
                    token -> Stream.of(Role.values())
                            .filter(role -> token.equals("its-" + role))
                            .map(role -> new Actor(token, role, Map.of(), Mode.OPEN, null))
                            .findFirst()));

    private int status(
            String path,
            List<String> hosts,
            List<String> origins,
            @Nullable String authorization,
            @Nullable String subprotocols) {
        return status(gate.decide(new Gate.Request("GET", path, hosts, origins, authorization, subprotocols, 7420)));
    }

    private static int status(Gate.Passage passage) {
        return switch (passage) {
            case Gate.Passage.Refused(Problem problem) -> problem.status();
            case Gate.Passage.Admitted _ -> 200;
        };
    }

    private Gate.Passage of(Role role, String method, String path) {
        return gate.decide(
                new Gate.Request(method, path, List.of("localhost"), List.of(), "Bearer its-" + role, null, 7420));
    }

    @Test
    void whoseTokenItIsIsWhoseRequestItIs() {
        assertThat(of(Role.AGENT, "POST", "/v1/commands"))
                .isEqualTo(new Gate.Passage.Admitted(new Actor("its-agent", Role.AGENT, Map.of(), Mode.OPEN, null)));
        assertThat(gate.decide(new Gate.Request("GET", "/", List.of("localhost"), List.of(), RIGHT, null, 7420)))
                .isEqualTo(new Gate.Passage.Admitted(Actor.OPERATOR));
        assertThat(gate.decide(new Gate.Request(
                        "GET", "/", List.of("localhost"), List.of(), null, "x, bearer.its-agent", 7420)))
                .isEqualTo(of(Role.AGENT, "GET", "/"));
        assertThat(token("Bearer its-", null)).isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /v1/commands",
                "POST /v1/commands/batch",
                "POST /v1/tasks/x/input",
                "POST /v1/tasks/x/signal",
                "POST /v1/tasks/x/stop",
                "PUT /v1/tasks/x/terminal-size",
                "DELETE /v1/tasks/x",
                "PATCH /v1/tasks/x",
                "POST /v1/what/comes/later",
                "POST /v1/wait/more",
            })
    void anObserverChangesNothing(String call) {
        String[] words = call.split(" ", 2);
        assertThat(of(Role.OBSERVER, words[0], words[1]))
                .isInstanceOfSatisfying(Gate.Passage.Refused.class, refused -> {
                    assertThat(refused.problem().status()).isEqualTo(403);
                    assertThat(refused.problem().kind()).isEqualTo("forbidden");
                });
        assertThat(status(of(Role.AGENT, words[0], words[1]))).isEqualTo(200);
        assertThat(status(of(Role.OPERATOR, words[0], words[1]))).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /v1/tasks",
                "HEAD /v1/tasks/x",
                "POST /v1/wait",
                "POST /v1/policy/check",
                "POST /v1/tools/TaskList",
                "POST /mcp",
                "POST /mcp/claude",
                "DELETE /mcp",
                "GET /q/metrics",
            })
    void anObserverSeesAll(String call) {
        String[] words = call.split(" ", 2);
        assertThat(status(of(Role.OBSERVER, words[0], words[1]))).isEqualTo(200);
    }

    @Test
    void metricsCountWhatAnAgentDoesNotSee() {
        assertThat(status(of(Role.AGENT, "GET", "/q/metrics"))).isEqualTo(403);
        assertThat(status(of(Role.OPERATOR, "GET", "/q/metrics"))).isEqualTo(200);
    }

    private int host(String... hosts) {
        return status("/v1/tasks", List.of(hosts), List.of(), RIGHT, null);
    }

    private int origin(String origin) {
        return status("/v1/tasks", List.of("localhost:7420"), List.of(origin), RIGHT, null);
    }

    private int token(@Nullable String authorization, @Nullable String subprotocols) {
        return status("/v1/tasks", List.of("127.0.0.1:7420"), List.of(), authorization, subprotocols);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.0.0.1:7420",
                "localhost",
                "LocalHost:1",
                "[::1]",
                "[::1]:7420",
                "192.168.1.5:7420",
                "box.local",
                "BOX.LOCAL:80",
                "[fe80::1]:7420"
            })
    void namesOfThisMachineAreAnswered(String host) {
        assertThat(host(host)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "evil.example",
                "localhost.evil.example",
                "127.0.0.1.evil.example:7420",
                "127.0.0.2",
                "0.0.0.0",
                "localhost:7420:1",
                "localhost@evil",
                "localhost:x",
                "[::2]",
                "::1",
                "box.local.",
                "[::1"
            })
    void otherNamesAreNot(String host) {
        assertThat(host(host)).isEqualTo(403);
    }

    @Test
    void exactlyOneHostIsNeeded() {
        assertThat(host()).isEqualTo(403);
        assertThat(host("localhost", "localhost")).isEqualTo(403);
    }

    @Test
    void everyAddressIsNoName() {
        var open = new Callers("0.0.0.0", List.of(), List.of());
        assertThat(open.hostAllowed("0.0.0.0:7420")).isFalse();
        assertThat(open.hostAllowed("localhost:7420")).isTrue();
    }

    @Test
    void onlyListedOriginsMayCall() {
        assertThat(origin("http://localhost:3000")).isEqualTo(200);
        assertThat(origin("http://localhost:7420")).isEqualTo(200);
        assertThat(origin("http://127.0.0.1:7420")).isEqualTo(200);
        assertThat(origin("http://[::1]:7420")).isEqualTo(200);
        assertThat(origin("http://localhost:3001")).isEqualTo(403);
        assertThat(origin("https://localhost:7420")).isEqualTo(403);
        assertThat(origin("http://localhost")).isEqualTo(403);
        assertThat(origin("http://evil.example")).isEqualTo(403);
        assertThat(origin("null")).isEqualTo(403);
        assertThat(origin("")).isEqualTo(403);
    }

    @Test
    void theTokenIsNeededAndChecked() {
        assertThat(token(RIGHT, null)).isEqualTo(200);
        assertThat(token("bearer " + TOKEN, null)).isEqualTo(200);
        assertThat(token(null, null)).isEqualTo(401);
        assertThat(token("Bearer", null)).isEqualTo(401);
        assertThat(token("Bearer ", null)).isEqualTo(401);
        assertThat(token(RIGHT + "x", null)).isEqualTo(401);
        assertThat(token("Bearer s3cret-toke", null)).isEqualTo(401);
        assertThat(token("Basic " + TOKEN, null)).isEqualTo(401);
        assertThat(token(TOKEN, null)).isEqualTo(401);
    }

    @Test
    void aWebSocketMayBringItAsSubprotocol() {
        assertThat(token(null, "bearer." + TOKEN)).isEqualTo(200);
        assertThat(token(null, "other , bearer." + TOKEN)).isEqualTo(200);
        assertThat(token(null, "bearer.wrong")).isEqualTo(401);
        assertThat(token(null, TOKEN)).isEqualTo(401);
        assertThat(token("Bearer wrong", "bearer." + TOKEN)).isEqualTo(401);
    }

    @Test
    void onlyHealthNeedsNone() {
        for (String path : List.of("/q/health", "/q/health/ready", "/q/health/live")) {
            assertThat(status(path, List.of("localhost"), List.of(), null, null))
                    .isEqualTo(200);
            assertThat(status(path, List.of("evil.example"), List.of(), null, null))
                    .isEqualTo(403);
        }
        for (String path : List.of("/q/metrics", "/q/openapi", "/q/healthy", "/", "/v1/tasks", "/v1/q/health")) {
            assertThat(status(path, List.of("localhost"), List.of(), null, null))
                    .isEqualTo(401);
        }
    }

    @Test
    void refusalsSayHowToComeIn() {
        Gate.Passage passage =
                gate.decide(new Gate.Request("GET", "/v1/tasks", List.of("localhost"), List.of(), null, null, 7420));
        Problem problem = ((Gate.Passage.Refused) passage).problem();

        assertThat(problem.kind()).isEqualTo("unauthorized");
        assertThat(problem.headers()).containsEntry("WWW-Authenticate", "Bearer");
        assertThat(new String(problem.json(), java.nio.charset.StandardCharsets.UTF_8))
                .doesNotContain(TOKEN);
    }
}
