package dev.holdfast.api.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GateTest {
    private static final String TOKEN = "s3cret-token";
    private static final String RIGHT = "Bearer " + TOKEN;
    private final Gate gate = new Gate(
            new Callers("192.168.1.5", List.of("Box.local", "fe80::1"), List.of("http://localhost:3000")),
            new Tokens(TOKEN));

    private int status(
            String path,
            List<String> hosts,
            List<String> origins,
            @Nullable String authorization,
            @Nullable String subprotocols) {
        return gate.refuses(new Gate.Request(path, hosts, origins, authorization, subprotocols, 7420))
                .map(problem -> problem.status())
                .orElse(200);
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
        var problem = gate.refuses(new Gate.Request("/v1/tasks", List.of("localhost"), List.of(), null, null, 7420))
                .orElseThrow();

        assertThat(problem.kind()).isEqualTo("unauthorized");
        assertThat(problem.headers()).containsEntry("WWW-Authenticate", "Bearer");
        assertThat(new String(problem.json(), java.nio.charset.StandardCharsets.UTF_8))
                .doesNotContain(TOKEN);
    }
}
