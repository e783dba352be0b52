package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.Cookie;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The way in as a real browser goes it: which cookies it keeps and sends, and what it says of where a request comes
 * from.
 */
class ConsoleSignInIT {
    private static final String STATUS = "([method, path, body]) => fetch(path, {method, headers: {'Content-Type':"
            + " 'application/json'}, body: body ? JSON.stringify(body) : undefined}).then(answer => answer.status)";
    private static final String TERMINAL =
            "id => new Promise(told => { const socket = new WebSocket(`ws://${location.host}"
                    + "/v1/tasks/${id}/terminal`); socket.onopen = () => told('open'); socket.onerror = () => told('refused'); })";

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

        assertThat(status(page, "POST", "/v1/console/session", Map.of("key", key)))
                .isEqualTo(204);
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
        status(page, "POST", "/v1/console/session", Map.of("token", SERVER.token()));
        page.navigate(BESIDE.uri("/policy").toString());
        status(page, "POST", "/v1/console/session", Map.of("token", BESIDE.token()));
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
        status(page, "POST", "/v1/console/session", Map.of("token", SERVER.token()));
        String theirs = page.context().cookies().getFirst().value;

        BESIDE.send(HttpRequest.newBuilder(BESIDE.uri("/v1/console/session"))
                        .header("Cookie", "holdfast_" + BESIDE.port() + "=" + theirs)
                        .build())
                .refused(401, "unauthorized");
    }

    /** The cookie goes along, for it knows no ports; only the headers tell where the request comes from. */
    @Test
    void aPageOfAnotherPortDoesNothingWithIt() {
        Page page = page(SERVER);
        status(page, "POST", "/v1/console/session", Map.of("token", SERVER.token()));
        page.navigate(BESIDE.uri("/q/health/live").toString());
        page.evaluate(
                "url => fetch(url, {method: 'POST', mode: 'no-cors', credentials: 'include', body: new Blob([JSON.stringify("
                        + "{cmd: 'touch refused'})])}).catch(() => 'refused')",
                SERVER.uri("/v1/commands").toString());
        assertThat(SERVER.workspace().resolve("refused")).doesNotExist();
    }
}
