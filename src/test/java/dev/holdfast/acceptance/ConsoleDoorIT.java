package dev.holdfast.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 16: how a browser gets in, what it may, and how it gets out. */
class ConsoleDoorIT {
    private static final String SESSION = "/v1/console/session";
    private static final String SECRET = "Holdfast-Page-Secret";

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls operator = SERVER.calls();

    @BeforeAll
    static void tokens() throws IOException {
        TokensFile.with(SERVER, "alice agent", "watcher observer");
        await().atMost(Calls.PATIENCE)
                .until(() -> new Calls(SERVER.calledWith("of-alice"))
                                .get("/v1/tasks")
                                .status()
                        == 200);
    }

    /** As a page of this server's own calls, with the cookie and the secret it was given. */
    private record Browser(String cookie, String secret) {
        static Browser of(Answer signedIn) {
            return new Browser(ConsoleDoorIT.cookie(signedIn.hasStatus(200)), signedIn.text("/page_secret"));
        }

        Answer call(String method, String path, Object body, String... headers) {
            var request = HttpRequest.newBuilder(SERVER.uri(path))
                    .method(
                            method,
                            body.equals("") ? BodyPublishers.noBody() : BodyPublishers.ofString(Json.write(body)))
                    .header("Content-Type", "application/json")
                    .header("Cookie", cookie)
                    .header(SECRET, secret);
            List<String> all = new ArrayList<>(List.of(headers));
            if (all.isEmpty()) {
                all.addAll(List.of("Sec-Fetch-Site", "same-origin", "Origin", origin()));
            }
            return SERVER.send(request.headers(all.toArray(String[]::new)).build());
        }

        Answer get(String path) {
            return call("GET", path, "", "Sec-Fetch-Site", "same-origin");
        }

        Answer post(String path, Object body) {
            return call("POST", path, body);
        }
    }

    private static String origin() {
        return "http://127.0.0.1:" + SERVER.port();
    }

    private static Answer signIn(String what, String value) {
        return SERVER.send(HttpRequest.newBuilder(SERVER.uri(SESSION))
                .header("Content-Type", "application/json")
                .header("Origin", origin())
                .POST(BodyPublishers.ofString(Json.write(Map.of(what, value))))
                .build());
    }

    private static Browser signedIn(String token) {
        return Browser.of(signIn("token", token));
    }

    private static String cookie(Answer answer) {
        return answer.header("Set-Cookie").split(";", 2)[0];
    }

    private static Answer withoutToken(String path) {
        return SERVER.send(HttpRequest.newBuilder(SERVER.uri(path)).build());
    }

    @Test
    void aKeyLetsABrowserInOnceAsWhoeverAskedForIt() {
        Calls alice = new Calls(SERVER.calledWith("of-alice"));
        Answer made = alice.post("/v1/console/keys", Map.of()).hasStatus(200);
        String key = made.text("/key");
        assertThat(made.text("/url")).isEqualTo(origin() + "/#key=" + key);
        assertThat(made.text("/expires_at")).endsWith("Z");

        Browser browser = Browser.of(signIn("key", key));
        JsonNode who = browser.get(SESSION).hasStatus(200).json();
        assertThat(who.path("name").asText()).isEqualTo("alice");
        assertThat(who.path("role").asText()).isEqualTo("agent");
        assertThat(who.path("mode").asText()).isEqualTo("open");
        assertThat(who.path("expires_at").asText()).endsWith("Z");

        signIn("key", key).refused(401, "unauthorized");
        signIn("key", "never").refused(401, "unauthorized");
        signIn("token", "wrong").refused(401, "unauthorized");
        signIn("key", "").refused(401, "unauthorized");
        signIn("colour", "red").refused(400, "invalid_tool_input");
        assertThat(SERVER.log()).doesNotContain(key, browser.cookie(), browser.secret());
    }

    @Test
    void theCookieIsForThisServerAndNoScript() {
        String header = signIn("token", SERVER.token()).hasStatus(200).header("Set-Cookie");
        assertThat(Arrays.asList(header.split("; ", -1)))
                .hasSize(5)
                .contains("HttpOnly", "SameSite=Strict", "Path=/v1", "Max-Age=43200")
                .first()
                .asString()
                .startsWith("holdfast_" + SERVER.port() + "=")
                .doesNotContain(SERVER.token());
    }

    @Test
    void aSessionIsForAllThatThePageNeeds() throws Exception {
        Browser browser = signedIn(SERVER.token());
        String id = browser.post("/v1/commands", Calls.command("exec cat", "tty", true, "yield_time_ms", 0))
                .promoted();
        browser.get("/v1/tasks/" + id).hasStatus(200);
        HttpResponse<java.io.InputStream> events = SERVER.client()
                .send(
                        HttpRequest.newBuilder(SERVER.uri("/v1/events"))
                                .header("Cookie", browser.cookie())
                                .header(SECRET, browser.secret())
                                .build(),
                        BodyHandlers.ofInputStream());
        events.body().close();
        assertThat(events.statusCode()).isEqualTo(200);
        try (TerminalClient terminal = TerminalClient.connect(
                SERVER,
                id,
                builder -> builder.header("Cookie", browser.cookie())
                        .subprotocols("page." + browser.secret())
                        .header("Origin", origin()))) {
            assertThat(terminal.subprotocol()).isEqualTo("page." + browser.secret());
            terminal.type("typed\n");
            terminal.await("typed");
        }
        assertThat(TerminalClient.refusal(
                        SERVER,
                        id,
                        builder -> builder.header("Cookie", browser.cookie()).header(SECRET, browser.secret())))
                .isEqualTo(403);
        browser.post("/v1/tasks/" + id + "/stop", Map.of("force", true)).hasStatus(200);
        assertThat(withoutToken("/v1/tasks").status()).isEqualTo(401);
        operator.get("/v1/tasks").hasStatus(200);
        assertThat(operator.get(SESSION).hasStatus(200).at("/expires_at").isNull())
                .isTrue();
    }

    /** Every port of this machine is sent it, those of tasks too. */
    @Test
    void aCookieAloneChangesNothing() throws Exception {
        String id = operator.start("exec cat", "tty", true);
        Answer signedIn = signIn("token", SERVER.token());
        String cookie = cookie(signedIn);
        SERVER.send(HttpRequest.newBuilder(SERVER.uri("/v1/tasks"))
                        .header("Cookie", cookie)
                        .build())
                .hasStatus(200);
        SERVER.send(HttpRequest.newBuilder(SERVER.uri(SESSION))
                        .header("Cookie", cookie)
                        .build())
                .refused(401, "unauthorized");
        for (String path : List.of("/v1/commands", "/v1/tasks/" + id + "/stop", "/v1/wait", "/v1/console/keys")) {
            SERVER.send(HttpRequest.newBuilder(SERVER.uri(path))
                            .header("Cookie", cookie)
                            .headers("Origin", origin(), "Sec-Fetch-Site", "same-origin")
                            .POST(BodyPublishers.ofString("{}"))
                            .build())
                    .refused(403, "forbidden");
        }
        String others =
                signIn("token", SERVER.token()).json().path("page_secret").asText();
        List<String[]> wrong = List.of(
                new String[] {"Origin", origin(), SECRET, "wrong"},
                new String[] {"Origin", origin(), SECRET, ""},
                new String[] {"Origin", origin(), SECRET, others},
                new String[] {"Origin", origin(), SECRET, cookie.replaceFirst(".*=", "")});
        for (String[] headers : wrong) {
            for (String path : List.of("/v1/tasks", "/v1/events", "/v1/tasks/" + id + "/output", SESSION)) {
                SERVER.send(HttpRequest.newBuilder(SERVER.uri(path))
                                .header("Cookie", cookie)
                                .headers(headers)
                                .build())
                        .refused(401, "unauthorized");
            }
            SERVER.send(HttpRequest.newBuilder(SERVER.uri(SESSION))
                            .header("Cookie", cookie)
                            .headers(headers)
                            .DELETE()
                            .build())
                    .refused(401, "unauthorized");
        }
        for (String offered : List.of("page.wrong", "page.", "page." + others)) {
            assertThat(TerminalClient.refusal(
                            SERVER,
                            id,
                            builder -> builder.header("Cookie", cookie)
                                    .header("Origin", origin())
                                    .subprotocols(offered)))
                    .as(offered)
                    .isEqualTo(401);
        }
        assertThat(TerminalClient.refusal(
                        SERVER, id, builder -> builder.header("Cookie", cookie).header("Origin", origin())))
                .isEqualTo(403);
        Browser whole = Browser.of(signedIn);
        whole.get("/v1/tasks").hasStatus(200);
        new Browser("a=b", whole.secret()).get("/v1/tasks").refused(401, "unauthorized");
        operator.stop(id, "force", true).hasStatus(200);
    }

    @Test
    void anObserverLooksAndAnAgentSeesItsOwn() {
        String id = operator.start("sleep 600");
        Browser watcher = signedIn("of-watcher");
        watcher.get("/v1/tasks/" + id).hasStatus(200);
        watcher.post("/v1/tasks/" + id + "/stop", Map.of()).refused(403, "forbidden");
        watcher.post("/v1/commands", Calls.command("true")).refused(403, "forbidden");
        Browser alice = signedIn("of-alice");
        alice.get("/v1/tasks/" + id).refused(404, "task_not_found");
        String own = alice.post("/v1/commands", Calls.command("sleep 601", "yield_time_ms", 0))
                .promoted();
        alice.get("/v1/tasks/" + own).hasStatus(200);
        operator.stop(id, "force", true).hasStatus(200);
        operator.stop(own, "force", true).hasStatus(200);
        watcher.call("DELETE", SESSION, "").hasStatus(204);
        watcher.get(SESSION).refused(401, "unauthorized");
    }

    /** Another port of this machine is the same site, so that the cookie comes with its requests too. */
    @Test
    void anotherOriginChangesNothing() {
        Browser browser = signedIn(SERVER.token());
        Map<String, Object> start = Calls.command("touch refused");
        for (String[] headers : List.of(
                new String[] {"Sec-Fetch-Site", "same-site"},
                new String[] {"Sec-Fetch-Site", "cross-site"},
                new String[] {"Sec-Fetch-Site", "none"},
                new String[] {"Origin", "http://127.0.0.1:1"},
                new String[] {"Origin", "http://localhost:" + SERVER.port()},
                new String[] {"Origin", "null"},
                new String[] {"Accept", "*/*"})) {
            browser.call("POST", "/v1/commands", start, headers).refused(403, "forbidden");
            browser.call("DELETE", SESSION, "", headers).refused(403, "forbidden");
        }
        browser.call("GET", "/v1/tasks", "", "Sec-Fetch-Site", "same-site").refused(403, "forbidden");
        assertThat(SERVER.workspace().resolve("refused")).doesNotExist();
        browser.get(SESSION).hasStatus(200);
    }

    @Test
    void aSessionMakesNoKeys() {
        signedIn(SERVER.token()).post("/v1/console/keys", Map.of()).refused(403, "forbidden");
    }

    @Test
    void signingOutEndsEveryCopyOfTheCookie() {
        Browser browser = signedIn(SERVER.token());
        Answer out = browser.call("DELETE", SESSION, "").hasStatus(204);
        assertThat(out.header("Set-Cookie")).contains("Max-Age=0", "Path=/v1", "holdfast_" + SERVER.port() + "=;");
        browser.get(SESSION).refused(401, "unauthorized");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "holdfast_PORT=",
                "holdfast_PORT=x",
                "holdfast=ID",
                "holdfast_1=ID",
                "holdfast_PORT=IDx",
                "holdfast_PORT=ID; holdfast_PORT=x",
                ";;=;",
                "holdfast_PORT"
            })
    void aCookieThatIsNotRightIsNone(String pattern) {
        Browser browser = signedIn(SERVER.token());
        String[] right = browser.cookie().split("=", 2);
        String cookie = pattern.replace("PORT", Integer.toString(SERVER.port())).replace("ID", right[1]);
        new Browser(cookie, browser.secret()).get("/v1/tasks").refused(401, "unauthorized");
    }

    @Test
    void sessionsAreTheirOwnersAlone() throws IOException {
        signedIn("of-alice");
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(SERVER.data().resolve("sessions"))))
                .isEqualTo("rw-------");
    }

    @Test
    void aTokenThatIsRemovedEndsItsSessions() throws Exception {
        TokensFile.with(SERVER, "alice agent", "watcher observer", "guest operator");
        await().atMost(Calls.PATIENCE).until(() -> signIn("token", "of-guest").status() == 200);
        Browser guest = signedIn("of-guest");
        guest.get(SESSION).hasStatus(200);
        TokensFile.with(SERVER, "alice agent", "watcher observer");
        await().atMost(Calls.PATIENCE).until(() -> guest.get(SESSION).status() == 401);
    }

    @Test
    void theCommandPrintsAnAddressThatLetsIn() throws Exception {
        Process command =
                SERVER.command(List.of()).command(Cli.SCRIPT, "console").start();
        String printed = new String(command.getInputStream().readAllBytes(), UTF_8).strip();
        assertThat(command.waitFor()).isZero();
        URI address = URI.create(printed);
        assertThat(address.getPort()).isEqualTo(SERVER.port());
        signIn("key", address.getFragment().replaceFirst("^key=", "")).hasStatus(200);
        Process json = SERVER.command(List.of())
                .command(Cli.SCRIPT, "console", "--json", "--token", "of-watcher")
                .start();
        String key = Json.read(new String(json.getInputStream().readAllBytes(), UTF_8))
                .path("key")
                .asText();
        Browser watcher = Browser.of(signIn("key", key));
        assertThat(watcher.get(SESSION).text("/role")).isEqualTo("observer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/tasks", "/tasks/task_01M84MWFG88P42DQEJS1BH417F", "/approvals", "/policy", "/audit"})
    void itsPageIsOpenAndStrict(String path) {
        Answer page = withoutToken(path).hasStatus(200);
        assertThat(page.header("Content-Type")).startsWith("text/html");
        assertThat(page.body()).contains("<title>Holdfast</title>");
        assertThat(page.header("Content-Security-Policy"))
                .contains("default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", "base-uri 'none'");
        assertThat(page.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(page.header("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(page.header("Cache-Control")).isEqualTo("no-cache");
    }

    @Test
    void whoOpensAnUnknownAddressSeesThePage() {
        for (String path : List.of("/xyz", "/tasks/x/y", "/v2")) {
            Answer page = asPerson(path).hasStatus(404);
            assertThat(page.header("Content-Type")).as(path).startsWith("text/html");
            assertThat(page.header("Content-Security-Policy")).contains("default-src 'none'");
            assertThat(page.body()).contains("<title>Holdfast</title>");
        }
        for (String path : List.of("/v1/nothing", "/v1", "/q/nothing", "/mcp", "/%76%31/tasks", "/xyz/../v1/tasks")) {
            asPerson(path).refused(401, "unauthorized");
        }
        assertThat(asPerson("/console/nothing.js").body()).doesNotContain("<title>Holdfast</title>");
        SERVER.send(HttpRequest.newBuilder(SERVER.uri("/xyz"))
                        .header("Accept", "text/html")
                        .POST(BodyPublishers.noBody())
                        .build())
                .refused(401, "unauthorized");
    }

    private static Answer asPerson(String path) {
        return SERVER.send(HttpRequest.newBuilder(SERVER.uri(path))
                .header("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
                .build());
    }

    @Test
    void itsFilesAreOpenAndKeptWhereTheyNeverChange() {
        Answer script = withoutToken("/console/main.js").hasStatus(200);
        assertThat(script.header("Content-Type")).contains("javascript");
        assertThat(script.header("Cache-Control")).isEqualTo("no-cache");
        assertThat(script.header("Content-Security-Policy")).contains("default-src 'none'");
        Answer again = SERVER.send(HttpRequest.newBuilder(SERVER.uri("/console/main.js"))
                .header("If-None-Match", script.header("ETag"))
                .build());
        assertThat(again.hasStatus(304).body()).isEmpty();
        assertThat(withoutToken("/console/icon.svg").hasStatus(200).header("Content-Type"))
                .startsWith("image/svg+xml");
        Answer library = withoutToken("/webjars/lit-html/3.2.1/lit-html.js").hasStatus(200);
        assertThat(library.header("Cache-Control")).contains("immutable");
        for (String path : List.of(
                "/console/nothing.js",
                "/console/views",
                "/webjars/x",
                "/webjars/xterm/4.9.0/package.json",
                "/console/../v1/tasks",
                "/console/%2e%2e/v1/tasks",
                "/console/..%2fmessages.js")) {
            assertThat(withoutToken(path).status()).as(path).isIn(401, 404);
        }
        withoutToken("/nothing").refused(401, "unauthorized");
        operator.get("/nothing").refused(404, "not_found");
        operator.get("/tasks/x/y").refused(404, "not_found");
    }
}
