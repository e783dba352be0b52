package dev.holdfast.acceptance;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is open ends with the session that opened it, or with its token. */
class ConsoleSignOutIT {
    private static final String SESSION = "/v1/console/session";
    /** RFC 6455, 7.4.1: a policy was violated. */
    private static final int DENIED = 1008;

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    @RegisterExtension
    static final Chromium CHROMIUM = new Chromium();

    private final Calls http = SERVER.calls();

    /** The headers of its requests. */
    private static String[] session(String token) {
        Answer in = SERVER.send(HttpRequest.newBuilder(SERVER.uri(SESSION))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(Json.write(Map.of("token", token))))
                        .build())
                .hasStatus(200);
        return headers(in.header("Set-Cookie").split(";", 2)[0], in.text("/page_secret"));
    }

    private static String[] headers(String cookie, String secret) {
        return new String[] {"Cookie", cookie, "Holdfast-Page-Secret", secret};
    }

    private static void signOut(String... session) {
        SERVER.send(HttpRequest.newBuilder(SERVER.uri(SESSION))
                        .headers(session)
                        .header("Sec-Fetch-Site", "same-origin")
                        .DELETE()
                        .build())
                .hasStatus(204);
    }

    private static EventStream events(String... session) {
        return EventStream.read(
                SERVER,
                HttpRequest.newBuilder(SERVER.uri("/v1/events"))
                        .headers(session)
                        .build());
    }

    private static TerminalClient terminal(String id, String... headers) {
        return TerminalClient.connect(SERVER, id, builder -> {
            for (int i = 0; i < headers.length; i += 2) {
                builder.header(headers[i], headers[i + 1]);
            }
            return builder.header("Origin", "http://127.0.0.1:" + SERVER.port());
        });
    }

    private static int statusOf(String token) {
        return new Calls(SERVER.calledWith(token)).get("/v1/tasks").status();
    }

    @Test
    void signingOutEndsWhatTheSessionOpenedAndNothingElse() throws Exception {
        String id = http.start("exec cat", "tty", true);
        String[] leaving = session(SERVER.token());
        String[] staying = session(SERVER.token());
        try (EventStream ended = events(leaving);
                TerminalClient closed = terminal(id, leaving);
                EventStream goesOn = events(staying);
                TerminalClient typed = terminal(id, staying)) {
            signOut(leaving);

            ended.awaitOver();
            assertThat(closed.awaitClosed()).isEqualTo(DENIED);
            typed.type("still here\n");
            typed.await("still here");
            String next = http.start("sleep 600");
            goesOn.await("what began later", event -> event.text("task_id").equals(next));
        }
    }

    @Test
    void aTokenThatIsRemovedOrChangedEndsWhatItOpened() throws Exception {
        String id = http.start("exec cat", "tty", true);
        TokensFile.with(SERVER, "guest operator", "helper operator");
        await().atMost(Calls.PATIENCE).until(() -> statusOf("of-guest") == 200 && statusOf("of-helper") == 200);
        try (EventStream guest = EventStream.open(SERVER.calledWith("of-guest"), "/v1/events");
                TerminalClient helper = terminal(id, "Authorization", "Bearer of-helper");
                TerminalClient own = TerminalClient.open(SERVER, id)) {
            TokensFile.with(SERVER, "helper observer");

            guest.awaitOver();
            assertThat(helper.awaitClosed()).isEqualTo(DENIED);
            own.type("the operator stays\n");
            own.await("the operator stays");
        }
    }

    @Test
    void aPageWhoseSessionHasEndedSaysSoAndGoesOnWhereItWas() {
        http.start("sleep 600 # over night");
        Page page =
                CHROMIUM.page(new NewContextOptions().setBaseURL(SERVER.uri("").toString()));
        page.navigate("/#key=" + http.post("/v1/console/keys", Map.of()).text("/key"));
        assertThat(page.locator(".connection")).hasText("Live");
        page.navigate("/?status=all&q=over+night");
        assertThat(page.locator(".row")).hasCount(1);
        Page other = page.context().newPage();
        other.navigate("/audit");
        assertThat(other.locator(".connection")).hasText("Live");

        var cookie = page.context().cookies(SERVER.uri("/v1/tasks").toString()).getFirst();
        signOut(headers(
                cookie.name + "=" + cookie.value,
                String.valueOf(page.evaluate("localStorage.getItem('holdfast.page')"))));

        assertThat(page.locator(".door h1")).hasText("Your session has ended");
        assertThat(other.locator(".door h1")).hasText("Your session has ended");
        Chromium.picture(page, "door-ended");
        page.getByLabel("Or paste a token").fill(SERVER.token());
        page.keyboard().press("Enter");
        assertThat(page.locator(".row")).hasCount(1);
        assertThat(page.locator(".connection")).hasText("Live");
        assertThat(page.locator("[type=search]")).hasValue("over night");

        other.evaluate("document.dispatchEvent(new Event('visibilitychange'))"); // one looks at it again
        assertThat(other.locator("h1")).hasText("Audit");
    }

    @Test
    void allPagesOfABrowserThatSignsOutShowTheDoor() {
        String id = http.start("exec cat", "tty", true);
        Page page =
                CHROMIUM.page(new NewContextOptions().setBaseURL(SERVER.uri("").toString()));
        page.navigate("/#key=" + http.post("/v1/console/keys", Map.of()).text("/key"));
        assertThat(page.locator(".connection")).hasText("Live");
        Page other = page.context().newPage();
        other.navigate("/tasks/" + id);
        assertThat(other.getByText("ctrl-] leaves it")).isVisible();

        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Sign out"))
                .click();

        assertThat(page.locator(".door")).isVisible();
        assertThat(other.locator(".door")).isVisible();
    }
}
