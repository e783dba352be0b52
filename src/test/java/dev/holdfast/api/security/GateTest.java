package dev.holdfast.api.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.problem.Problem;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.runtime.RuntimeFixture;
import dev.holdfast.task.Sha256;
import io.vertx.core.MultiMap;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GateTest {
    private static final String TOKEN = "s3cret-token";
    private static final String RIGHT = "Bearer " + TOKEN;
    private final Tokens tokens = new Tokens(
            TOKEN,
            digest -> Stream.of(Role.values())
                    .filter(role -> digest.equals(Sha256.of("its-" + role)))
                    .map(role -> new Actor("its-" + role, role, Map.of(), Mode.OPEN, null))
                    .findFirst());

    @TempDir
    static Path folder;

    private final Sessions sessions = new Sessions(RuntimeFixture.config(folder), tokens, InstantSource.system());
    private final Gate gate = new Gate(
            new Callers("192.168.1.5", List.of("Box.local", "fe80::1"), List.of("http://localhost:3000")),
            tokens,
            sessions);

    /** Headers in pairs. */
    private Gate.Passage decide(String method, String path, String... headers) {
        MultiMap all = MultiMap.caseInsensitiveMultiMap();
        for (int i = 0; i < headers.length; i += 2) {
            all.add(headers[i], headers[i + 1]);
        }
        return gate.decide(new Gate.Request(method, path, all, 7420));
    }

    private int status(
            String path,
            List<String> hosts,
            List<String> origins,
            @Nullable String authorization,
            @Nullable String subprotocols) {
        MultiMap headers = MultiMap.caseInsensitiveMultiMap();
        hosts.forEach(host -> headers.add("Host", host));
        origins.forEach(origin -> headers.add("Origin", origin));
        if (authorization != null) {
            headers.add("Authorization", authorization);
        }
        if (subprotocols != null) {
            headers.add("Upgrade", "websocket").add("Sec-WebSocket-Protocol", subprotocols);
        }
        return status(gate.decide(new Gate.Request("GET", path, headers, 7420)));
    }

    @Test
    void aPersonWhoGoesAstrayIsLetInToBeToldSo() {
        String[] person = {"Host", "localhost:7420", "Accept", "text/html,*/*"};
        assertThat(status(decide("GET", "/xyz", person))).isEqualTo(200);
        assertThat(status(decide("POST", "/xyz", person))).isEqualTo(401);
        assertThat(status(decide("GET", "/xyz", "Host", "localhost:7420", "Accept", "*/*")))
                .isEqualTo(401);
        for (String path : List.of("/v1", "/v1/tasks", "/q/openapi", "/mcp", "/mcp/x")) {
            assertThat(status(decide("GET", path, person))).as(path).isEqualTo(401);
        }
    }

    @Test
    void aBrowserAsksWithoutATokenWhatAPageMaySend() {
        String[] asks = {"Host", "localhost", "Access-Control-Request-Method", "POST", "Origin"};
        for (String origin : List.of("http://localhost:3000", "http://localhost:7420")) {
            assertThat(status(decide("OPTIONS", "/v1/commands", with(asks, origin))))
                    .isEqualTo(204);
            assertThat(status(decide("POST", "/v1/commands", with(asks, origin))))
                    .isEqualTo(401);
        }
        assertThat(status(decide("OPTIONS", "/v1/commands", with(asks, "http://evil.example"))))
                .isEqualTo(403);
        assertThat(status(decide("OPTIONS", "/v1/commands", "Host", "localhost")))
                .isEqualTo(401);
    }

    private static String[] with(String[] headers, String value) {
        return Stream.concat(Stream.of(headers), Stream.of(value)).toArray(String[]::new);
    }

    private static int status(Gate.Passage passage) {
        return switch (passage) {
            case Gate.Passage.Refused(Problem problem) -> problem.status();
            case Gate.Passage.Preflight _ -> 204;
            case Gate.Passage.Admitted _ -> 200;
        };
    }

    private Gate.Passage of(Role role, String method, String path) {
        return decide(method, path, "Host", "localhost", "Authorization", "Bearer its-" + role);
    }

    @Test
    void whoseTokenItIsIsWhoseRequestItIs() {
        assertThat(of(Role.AGENT, "POST", "/v1/commands"))
                .isEqualTo(new Gate.Passage.Admitted(new Actor("its-agent", Role.AGENT, Map.of(), Mode.OPEN, null)));
        assertThat(decide("GET", "/v1/tasks", "Host", "localhost", "Authorization", RIGHT))
                .isEqualTo(new Gate.Passage.Admitted(Actor.OPERATOR));
        assertThat(decide(
                        "GET",
                        "/v1/tasks",
                        "Host",
                        "localhost",
                        "Upgrade",
                        "WebSocket",
                        "Sec-WebSocket-Protocol",
                        "x, bearer.its-agent"))
                .isEqualTo(of(Role.AGENT, "GET", "/v1/tasks"));
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
    void healthNeedsNone() {
        for (String path : List.of("/q/health", "/q/health/ready", "/q/health/live")) {
            assertThat(status(path, List.of("localhost"), List.of(), null, null))
                    .isEqualTo(200);
            assertThat(status(path, List.of("evil.example"), List.of(), null, null))
                    .isEqualTo(403);
        }
        for (String path : List.of("/q/metrics", "/q/openapi", "/q/healthy", "/nothing", "/v1/tasks", "/v1/q/health")) {
            assertThat(status(path, List.of("localhost"), List.of(), null, null))
                    .isEqualTo(401);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/", "/tasks", "/tasks/x", "/approvals", "/policy", "/audit", "/console/a.js", "/webjars/a.js"})
    void theConsolesPagesNeedNone(String path) {
        assertThat(status(decide("GET", path, "Host", "localhost"))).isEqualTo(200);
        assertThat(status(decide("HEAD", path, "Host", "localhost"))).isEqualTo(200);
        assertThat(status(decide("GET", path, "Host", "evil.example"))).isEqualTo(403);
        assertThat(status(decide("POST", path, "Host", "localhost"))).isEqualTo(401);
        assertThat(status(decide("GET", "/v1" + path, "Host", "localhost"))).isEqualTo(401);
    }

    private Gate.Passage bySession(String token, String method, String path, String... headers) {
        SessionHalves halves = sessions.begin(token).orElseThrow();
        List<String> all = new ArrayList<>(List.of(
                "Host",
                "localhost:7420",
                "Cookie",
                "a=b; holdfast_7420=" + halves.cookie(),
                "Holdfast-Page-Secret",
                halves.page()));
        all.addAll(List.of(headers));
        return decide(method, path, all.toArray(String[]::new));
    }

    @Test
    void aSessionIsItsToken() {
        assertThat(bySession(TOKEN, "GET", "/v1/tasks")).isEqualTo(new Gate.Passage.Admitted(Actor.OPERATOR));
        assertThat(bySession("its-agent", "GET", "/v1/tasks")).isEqualTo(of(Role.AGENT, "GET", "/v1/tasks"));
        assertThat(status(bySession("its-observer", "POST", "/v1/commands", "Sec-Fetch-Site", "same-origin")))
                .isEqualTo(403);
        assertThat(status(bySession("its-observer", "DELETE", Gate.SESSION, "Sec-Fetch-Site", "same-origin")))
                .isEqualTo(200);
        assertThat(status(bySession(TOKEN, "GET", "/q/metrics"))).isEqualTo(401);
        assertThat(status(bySession(TOKEN, "GET", "/v1/tasks", "Authorization", "Bearer wrong")))
                .isEqualTo(401);
        assertThat(status(bySession(TOKEN, "GET", "/v1/tasks", "Cookie", "holdfast_7420=second")))
                .isEqualTo(401);
    }

    @Test
    void whatChangesAnythingNeedsBothHalves() {
        SessionHalves halves = sessions.begin(TOKEN).orElseThrow();
        String page = "page." + halves.page();
        assertThat(halved(halves.cookie(), "Sec-WebSocket-Protocol", page)).isEqualTo(200);
        assertThat(halved(halves.cookie(), "Sec-WebSocket-Protocol", "other , " + page))
                .isEqualTo(200);
        assertThat(halved(halves.cookie(), "Sec-WebSocket-Protocol", "page." + halves.cookie()))
                .isEqualTo(401);
        assertThat(halved(halves.cookie(), "Sec-WebSocket-Protocol", halves.page()))
                .isEqualTo(403);
        assertThat(halved(halves.cookie(), "Sec-WebSocket-Protocol", "bearer." + halves.page()))
                .isEqualTo(401);
        assertThat(halved(halves.cookie(), "Holdfast-Page-Secret", halves.page()))
                .isEqualTo(200);
        assertThat(halved(halves.cookie(), "Holdfast-Page-Secret", "")).isEqualTo(401);
        assertThat(halved(halves.cookie(), "Accept", "*/*")).isEqualTo(403);
        assertThat(halved(halves.page(), "Holdfast-Page-Secret", halves.page())).isEqualTo(401);
        SessionHalves others = sessions.begin(TOKEN).orElseThrow();
        assertThat(halved(others.cookie(), "Holdfast-Page-Secret", halves.page()))
                .isEqualTo(401);
    }

    /** What a WebSocket is answered with that cookie, from the right page. */
    private int halved(String cookie, String... headers) {
        List<String> all = new ArrayList<>(
                List.of("Host", "localhost:7420", "Origin", "http://localhost:7420", "Upgrade", "websocket"));
        all.addAll(List.of("Cookie", "holdfast_7420=" + cookie));
        all.addAll(List.of(headers));
        return status(decide("GET", "/v1/tasks/x/terminal", all.toArray(String[]::new)));
    }

    @ParameterizedTest
    @CsvSource({
        "GET, '', '', 200",
        "GET, none, '', 200",
        "GET, same-origin, '', 200",
        "GET, same-site, '', 403",
        "GET, cross-site, '', 403",
        "GET, '', http://localhost:3000, 403",
        "POST, '', '', 403",
        "POST, none, '', 403",
        "POST, same-site, '', 403",
        "POST, same-site, http://localhost:3000, 403",
        "POST, '', http://localhost:3000, 403",
        "POST, '', http://127.0.0.1:7420, 403",
        "POST, '', http://localhost:7420, 200",
        "POST, same-origin, '', 200",
        "POST, same-origin, http://localhost:7420, 200",
        "DELETE, '', '', 403",
        "UPGRADE, '', '', 403",
        "UPGRADE, '', http://localhost:3000, 403",
        "UPGRADE, '', http://localhost:7420, 200",
    })
    void aSessionIsForItsOwnPages(String method, String site, String origin, int status) {
        List<String> headers = new ArrayList<>();
        if (!site.isEmpty()) {
            headers.addAll(List.of("Sec-Fetch-Site", site));
        }
        if (!origin.isEmpty()) {
            headers.addAll(List.of("Origin", origin));
        }
        boolean upgrade = method.equals("UPGRADE");
        if (upgrade) {
            headers.addAll(List.of("Upgrade", "websocket"));
        }
        String[] all = headers.toArray(String[]::new);
        assertThat(status(bySession(TOKEN, upgrade ? "GET" : method, "/v1/tasks/x", all)))
                .isEqualTo(status);
        headers.addAll(List.of("Host", "localhost:7420", "Authorization", RIGHT));
        assertThat(status(decide(upgrade ? "GET" : method, "/v1/tasks/x", headers.toArray(String[]::new))))
                .isEqualTo(200);
    }

    /** A browser that another page made sign in would work for whoever made it. */
    @Test
    void onlyItsOwnPagesSignABrowserIn() {
        assertThat(status(decide("POST", Gate.SESSION, "Host", "localhost:7420")))
                .isEqualTo(200);
        assertThat(status(decide("POST", Gate.SESSION, "Host", "localhost:7420", "Sec-Fetch-Site", "same-origin")))
                .isEqualTo(200);
        assertThat(status(decide("POST", Gate.SESSION, "Host", "localhost:7420", "Sec-Fetch-Site", "same-site")))
                .isEqualTo(403);
        assertThat(status(decide("POST", Gate.SESSION, "Host", "localhost:7420", "Origin", "http://localhost:3000")))
                .isEqualTo(403);
        assertThat(status(decide("GET", Gate.SESSION, "Host", "localhost:7420")))
                .isEqualTo(401);
    }

    @Test
    void refusalsSayHowToComeIn() {
        Gate.Passage passage = decide("GET", "/v1/tasks", "Host", "localhost");
        Problem problem = ((Gate.Passage.Refused) passage).problem();

        assertThat(problem.kind()).isEqualTo("unauthorized");
        assertThat(problem.headers()).containsEntry("WWW-Authenticate", "Bearer");
        assertThat(new String(problem.json(), java.nio.charset.StandardCharsets.UTF_8))
                .doesNotContain(TOKEN);
    }
}
