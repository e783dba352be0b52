package dev.holdfast.acceptance;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.WaitUntilState;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The ways that a person goes: there and back, to what is not there, while the server is away, and by many pages at
 * once.
 */
class ConsoleWaysIT {
    private static final String UNKNOWN = "task_01M85W0B34VQYDGWZ2RBCRGGPT";

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    @RegisterExtension
    static final Chromium CHROMIUM = new Chromium();

    private final Calls http = SERVER.calls();

    private static double scrolled(Page page) {
        return ((Number) page.evaluate("scrollY")).doubleValue();
    }

    @Test
    void backIsWhereOneWasInTheList() {
        for (int i = 0; i < 40; i++) {
            http.start("sleep 600 # ways " + i);
        }
        Page page = CHROMIUM.signedIn(SERVER);
        page.setViewportSize(1000, 600);
        page.navigate("/?q=ways");
        assertThat(page.locator(".row")).hasCount(40);
        page.evaluate("scrollTo(0, 1000)");

        page.locator(".row").nth(22).locator(".command").click();
        assertThat(page.locator(".log")).isVisible();
        page.keyboard().press("Escape");
        assertThat(page.locator(".row")).hasCount(40);
        await().atMost(Calls.PATIENCE).until(() -> scrolled(page) == 1000);
        assertThat(page).hasURL(Pattern.compile(".*q=ways$"));
        page.keyboard().press("j");
        assertThat(page.locator(".row").nth(23).locator(".command:focus")).hasCount(1);
        assertThat(scrolled(page)).isEqualTo(1000);

        page.goBack();
        page.goForward();
        page.reload();
        page.locator(".row").first().locator(".command").click();
        assertThat(page.locator(".log")).isVisible();
        page.reload();
        assertThat(page.locator("h1")).hasText("sleep 600 # ways 39");
    }

    @Test
    void aTaskThatIsNotThereSaysSoAndHidesNoOther() {
        String there = http.start("echo I am here; sleep 600");
        Page page = CHROMIUM.signedIn(SERVER);
        page.setViewportSize(400, 800);
        page.navigate("/tasks/" + UNKNOWN);
        assertThat(page.locator("h1")).hasText("There is no task " + UNKNOWN + ".");
        assertThat(page.evaluate("document.documentElement.scrollWidth")).isEqualTo(400);

        page.navigate("/tasks/" + UNKNOWN + "," + there);
        assertThat(page.locator(".column").first()).containsText("There is no task");
        assertThat(page.locator(".column .log")).containsText("I am here");
        page.getByLabel("Put this one away").first().click();
        assertThat(page).hasURL(Pattern.compile(".*/tasks/" + there + "$"));
    }

    @Test
    void whereNothingIsThePageSaysSo() {
        Page page = CHROMIUM.signedIn(SERVER);
        page.navigate("/xyz/abc");
        assertThat(page.locator("h1")).hasText("There is nothing here");
        page.getByText("All tasks").click();
        assertThat(page.locator("h1")).hasText("Tasks");
    }

    /** A browser tells a page that it lets it go on; a headless one freezes none, so that the test says so itself. */
    @Test
    void aPageThatWasFrozenAsksAnewAtOnce() {
        Page page = CHROMIUM.signedIn(SERVER);
        page.navigate("/?q=frozen");
        assertThat(page.locator(".connection")).hasText("Live");
        page.waitForRequest("**/v1/events", () -> page.evaluate("document.dispatchEvent(new Event('resume'))"));
        http.start("sleep 600 # no longer frozen");
        assertThat(page.locator(".row")).hasCount(1);
        assertThat(page.locator(".connection")).hasText("Live");
    }

    /** As after a night of the laptop: the connection is there, and nothing comes through it. */
    @Test
    void aPageThatHearsNothingForLongSaysSoAndFollowsAgain() throws Exception {
        Page page = CHROMIUM.signedIn(SERVER);
        page.clock().install();
        page.navigate("/?q=silence");
        assertThat(page.locator(".connection")).hasText("Live");
        Processes.signal("STOP", SERVER.pid());
        try {
            page.clock().fastForward(60_000);
            assertThat(page.locator(".connection")).containsText("The server is away");
        } finally {
            Processes.signal("CONT", SERVER.pid());
        }
        assertThat(page.locator(".connection")).hasText("Live");
        http.start("sleep 600 # after the silence");
        assertThat(page.locator(".row")).hasCount(1);
    }

    @Test
    void anotherIsPutBeside() {
        String one = http.start("echo first of two; sleep 600");
        String two = http.start("echo second of two; sleep 600");
        Page page = CHROMIUM.signedIn(SERVER);
        page.navigate("/tasks/" + one);
        page.locator(".beside").selectOption(two);
        assertThat(page).hasURL(Pattern.compile(".*/tasks/" + one + "," + two + "$"));
        assertThat(page.locator(".column .log").last()).containsText("second of two");
    }

    /** A browser has six connections for all pages of a server, and each that is looked at holds one. */
    @Test
    void pagesThatNobodyLooksAtLeaveTheirConnectionsToTheOthers() {
        http.start("sleep 600 # in many pages");
        Page first = CHROMIUM.signedIn(SERVER);
        BrowserContext browser = first.context();
        browser.addInitScript("if (location.search === '?q=many') {"
                + " Object.defineProperty(document, 'hidden', {get: () => true}); }");
        for (int i = 0; i < 6; i++) {
            browser.newPage().navigate("/?q=many", new Page.NavigateOptions().setWaitUntil(WaitUntilState.COMMIT));
        }
        first.navigate("/");
        Locator row = first.locator(".row").filter(new Locator.FilterOptions().setHasText("in many pages"));
        assertThat(row).isVisible();
        assertThat(first.locator(".connection")).hasText("Live");
    }

    /** As a proxy has it that is not named in {@code holdfast.http.allowed-origins}, or before a path. */
    @Test
    void whereItsScriptsAreRefusedThePageSaysWhatHelps() {
        Page page = CHROMIUM.signedIn(SERVER);
        page.route("**/console/main.js", route -> route.fulfill(new Route.FulfillOptions().setStatus(403)));
        page.navigate("/");
        assertThat(page.locator(".unloaded")).isVisible();
        assertThat(page.locator("body")).containsText("holdfast.http.allowed-origins");
    }

    /** As of a newer server behind a page of the former one. */
    @Test
    void aTerminalThatCannotBeShownSaysSo() {
        String id = http.start("exec cat", "tty", true);
        Page page = CHROMIUM.signedIn(SERVER);
        page.route("**/xterm.js", route -> route.fulfill(new Route.FulfillOptions().setStatus(404)));
        page.navigate("/tasks/" + id);
        assertThat(page.locator(".terminal-part [role=status]")).containsText("Load the page again");
    }
}
