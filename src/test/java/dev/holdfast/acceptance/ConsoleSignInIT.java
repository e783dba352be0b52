package dev.holdfast.acceptance;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.Cookie;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The way in as a real browser goes it: which cookies it keeps and sends, and what it says of where a request comes
 * from.
 */
class ConsoleSignInIT {
    private static final String STATUS =
            "([method, path, body]) => import('/console/api.js').then(api => api.ask(path, {method,"
                    + " headers: {'Content-Type': 'application/json'}, body: body ? JSON.stringify(body) : undefined}))"
                    + ".then(answer => answer.status)";
    private static final String TERMINAL = "id => import('/console/api.js').then(api => new Promise(told => {"
            + " const socket = api.dial(`/v1/tasks/${id}/terminal`);"
            + " socket.onopen = () => told('open'); socket.onerror = () => told('refused'); }))";
    private static final String SIGN_IN = "by => import('/console/who.js').then(who => who.signIn(by))";

    private static final String KEPT = "localStorage.getItem('holdfast.page')";

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    @RegisterExtension
    static final PackagedServer BESIDE = new PackagedServer();

    @RegisterExtension
    static final Chromium CHROMIUM = new Chromium();

    private static Page page(PackagedServer server) {
        Page page =
                CHROMIUM.page(new NewContextOptions().setBaseURL(server.uri("").toString()));
        page.navigate("/policy");
        return page;
    }

    private static int status(Page page, String method, String path, Object... body) {
        return (int) page.evaluate(STATUS, body.length == 0 ? List.of(method, path) : List.of(method, path, body[0]));
    }

    @Test
    void aBrowserIsSignedInUntilItSignsOut() {
        Calls http = SERVER.calls();
        String id = http.start("exec cat", "tty", true);
        String key = http.post("/v1/console/keys", Map.of()).text("/key");
        Page page = page(SERVER);
        assertThat(status(page, "GET", "/v1/tasks")).isEqualTo(401);
        assertThat(page.evaluate(TERMINAL, id)).isEqualTo("refused");

        page.evaluate(SIGN_IN, Map.of("key", key));
        assertThat(status(page, "GET", "/v1/tasks")).isEqualTo(200);
        await("a keeper that was held up")
                .atMost(Calls.PATIENCE)
                .until(() -> page.evaluate(TERMINAL, id).equals("open"));
        assertThat(status(page, "POST", "/v1/tasks/" + id + "/stop", Map.of("force", true)))
                .isEqualTo(200);
        assertThat(page.evaluate("document.cookie")).isEqualTo("");

        assertThat(status(page, "DELETE", "/v1/console/session")).isEqualTo(204);
        assertThat(status(page, "GET", "/v1/tasks")).isEqualTo(401);
        assertThat(page.context().cookies()).isEmpty();
    }

    @Test
    void twoServersOfOneMachineLeaveEachOthersCookiesAlone() {
        Page page = page(SERVER);
        page.evaluate(SIGN_IN, Map.of("token", SERVER.token()));
        page.navigate(BESIDE.uri("/policy").toString());
        page.evaluate(SIGN_IN, Map.of("token", BESIDE.token()));
        assertThat(status(page, "GET", "/v1/tasks")).isEqualTo(200);
        page.navigate(SERVER.uri("/policy").toString());
        assertThat(status(page, "GET", "/v1/tasks")).isEqualTo(200);
        assertThat(page.context().cookies())
                .extracting((Cookie cookie) -> cookie.name)
                .containsExactlyInAnyOrder("holdfast_" + SERVER.port(), "holdfast_" + BESIDE.port());
    }

    @Test
    void aSessionOfOneServerIsNoneOfAnother() {
        Page page = page(SERVER);
        page.evaluate(SIGN_IN, Map.of("token", SERVER.token()));
        String theirs = page.context().cookies().getFirst().value;
        String secret = String.valueOf(page.evaluate(KEPT));

        BESIDE.send(HttpRequest.newBuilder(BESIDE.uri("/v1/console/session"))
                        .header("Cookie", "holdfast_" + BESIDE.port() + "=" + theirs)
                        .header("Holdfast-Page-Secret", secret)
                        .build())
                .refused(401, "unauthorized");
    }

    /** The cookie goes along, for it knows no ports; only the headers tell where the request comes from. */
    @Test
    void aPageOfAnotherPortDoesNothingWithIt() {
        Page page = page(SERVER);
        page.evaluate(SIGN_IN, Map.of("token", SERVER.token()));
        page.navigate(BESIDE.uri("/q/health/live").toString());
        page.evaluate(
                "url => fetch(url, {method: 'POST', mode: 'no-cors', credentials: 'include', body: new Blob([JSON.stringify("
                        + "{cmd: 'touch refused'})])}).catch(() => 'refused')",
                SERVER.uri("/v1/commands").toString());
        assertThat(SERVER.workspace().resolve("refused")).doesNotExist();
    }

    /** The console itself links to what tasks serve. A program there may keep what it is sent, and send it on. */
    @Test
    void whatATaskServesIsSentNothingThatChangesAnything() throws IOException {
        Map<String, Headers> sent = new ConcurrentHashMap<>();
        HttpServer task = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        task.createContext("/", exchange -> {
            sent.put(exchange.getRequestURI().getPath(), exchange.getRequestHeaders());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        task.start();
        Page page = entered();
        page.navigate("http://127.0.0.1:" + task.getAddress().getPort() + "/");
        page.evaluate("fetch('/v1/x')");
        task.stop(0);

        Headers all = sent.get("/v1/x");
        assertThat(all).isNotNull();
        assertThat(all.getFirst("Cookie")).contains("holdfast_" + SERVER.port() + "=");
        assertThat(page.evaluate(KEPT)).isNull();
        HttpRequest.Builder replayed = HttpRequest.newBuilder(SERVER.uri("/v1/commands"))
                .headers("Origin", SERVER.uri("").toString(), "Sec-Fetch-Site", "same-origin")
                .POST(BodyPublishers.ofString("{\"cmd\": \"touch stolen\"}"));
        all.forEach((name, values) -> {
            if (!List.of("Host", "Connection", "Origin", "Sec-fetch-site").contains(name)) {
                values.forEach(value -> replayed.header(name, value));
            }
        });
        SERVER.send(replayed.build()).refused(403, "forbidden");
        assertThat(SERVER.workspace().resolve("stolen")).doesNotExist();

        page.navigate(SERVER.uri("/").toString());
        assertThat(page.locator(".connection")).hasText("Live");
    }

    /** By an address of {@code holdfast console}. */
    private static Page entered() {
        Page page = page(SERVER);
        enter(page);
        return page;
    }

    private static void enter(Page page) {
        page.navigate("about:blank");
        page.navigate(
                "/#key=" + SERVER.calls().post("/v1/console/keys", Map.of()).text("/key"));
        assertThat(page.locator(".connection")).hasText("Live");
    }

    @Test
    void whatOnePageKeepsIsForAllOfItsBrowser() {
        String id = SERVER.calls().start("exec cat", "tty", true);
        Page page = entered();
        Page beside = page.context().newPage();
        beside.navigate("/tasks/" + id);
        assertThat(beside.getByText("ctrl-] leaves it")).isVisible();

        Page again = page.context().newPage();
        enter(again);

        for (Page one : List.of(page, beside, again)) {
            assertThat(status(one, "GET", "/v1/tasks")).isEqualTo(200);
            one.reload();
            assertThat(one.locator(".connection")).hasText("Live");
        }
        assertThat(beside.getByText("ctrl-] leaves it")).isVisible();
        SERVER.calls().stop(id, "force", true).hasStatus(200);
    }

    @Test
    void whoHasTheCookieAloneSeesTheDoor() {
        Page page = entered();
        page.evaluate("localStorage.clear()");
        page.reload();
        assertThat(page.locator(".door h1")).hasText("Come in by a terminal");

        page.getByLabel("Or paste a token").fill(SERVER.token());
        page.keyboard().press("Enter");
        assertThat(page.locator(".connection")).hasText("Live");

        page.getByText("Sign out").click();
        assertThat(page.locator(".door")).isVisible();
        assertThat(page.evaluate(KEPT)).isNull();
    }
}
