package dev.holdfast.acceptance;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.RequestOptions;
import java.util.Map;
import java.util.function.Predicate;

/** The page of one task, in a browser that has a session too: a WebSocket of a page has no headers. */
record TaskPage(Page page) {
    static TaskPage open(PackagedServer server, Chromium chromium, String id) {
        return open(server, chromium.signedIn(server), id);
    }

    static TaskPage open(PackagedServer server, Page page, String id) {
        if (page.context().cookies().isEmpty()) {
            String answer = page.request()
                    .post("/v1/console/session", RequestOptions.create().setData(Map.of("token", server.token())))
                    .text();
            page.context()
                    .addInitScript("localStorage.setItem('holdfast.page', '"
                            + Json.read(answer).path("page_secret").asText() + "')");
        }
        page.navigate("/tasks/" + id);
        assertThat(page.locator(".connection")).hasText("Live");
        assertThat(page.locator(".log-bar button").first()).isVisible();
        return new TaskPage(page);
    }

    Locator find(String selector) {
        return page.locator(selector);
    }

    Locator button(String name) {
        return page.locator("button").filter(new Locator.FilterOptions().setHasText(name));
    }

    void press(String key) {
        page.keyboard().press(key);
    }

    void type(String text) {
        page.keyboard().type(text);
    }

    String log() {
        return find(".log").innerText();
    }

    void awaitLog(Predicate<String> wanted) {
        await("log").atMost(Calls.PATIENCE).until(this::log, wanted);
    }

    /** What its terminal shows, read as a screen reader does: the rest of it is a canvas. */
    void awaitScreen(String text) {
        if (find(".xterm-accessibility-tree").count() == 0) {
            button("For screen readers").click();
        }
        assertThat(find(".xterm-accessibility-tree")).containsText(text);
    }

    /** Where the log stands: distance of its view from the beginning and from the end, in pixels. */
    double fromStart() {
        return number("scrollTop");
    }

    double fromEnd() {
        return number("scrollHeight - log.scrollTop - log.clientHeight");
    }

    private double number(String what) {
        return ((Number) find(".log").evaluate("log => log." + what)).doubleValue();
    }

    /** As with a wheel; a negative number goes up. */
    void scroll(int pixels) {
        find(".log").hover();
        page.mouse().wheel(0, pixels);
    }
}
