package dev.holdfast.acceptance;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.LocatorAssertions.IsInViewportOptions;
import com.microsoft.playwright.options.AriaRole;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The list of tasks, as a person sees it. */
class ConsoleListIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    @RegisterExtension
    static final Chromium CHROMIUM = new Chromium();

    private final Calls http = SERVER.calls();

    private static Locator row(Page page, String command) {
        return page.locator(".row").filter(new Locator.FilterOptions().setHasText(command));
    }

    private Page list(String address) {
        return CHROMIUM.open(SERVER, address);
    }

    /** What begins from now on is new: what runs already when a page lists for the first time counts as seen. */
    private Page emptyList(String address) {
        Page page = list(address);
        assertThat(page.locator(".empty")).containsText("No task matches.");
        return page;
    }

    /** A task that prints and ends when the test says so. */
    private String waitFor(String file) {
        return "until [ -e " + file + " ]; do sleep 0.2; done";
    }

    /** One file a test: they share the workspace. */
    private void touch(String file) throws IOException {
        Files.createFile(SERVER.workspace().resolve(file));
    }

    @Test
    void aTaskComesPrintsAndEndsUnderAnOpenPage() throws IOException {
        Page page = list("/");
        assertThat(row(page, "lives-here")).hasCount(0);

        http.start(": lives-here; " + waitFor("print") + "; echo hello from it; " + waitFor("end") + "; exit 3");
        Locator row = row(page, "lives-here");
        assertThat(row.locator(".state")).hasText("running");
        assertThat(row.locator(".line")).hasText("nothing printed yet");
        assertThat(row.locator("time")).hasText("just now");

        touch("print");
        assertThat(row.locator(".line")).hasText("hello from it");
        assertThat(row.locator(".mark-unseen")).hasText("14 B new");

        touch("end");
        assertThat(row.locator(".state")).hasText("exit 3");
        assertThat(row.getByRole(AriaRole.BUTTON)).hasCount(0);

        page.locator(".news").click();
        assertThat(row).hasCount(0);
        page.locator(".switch").getByText("Ended").click();
        assertThat(row.locator(".state")).hasText("exit 3");
    }

    @Test
    void whoIsSilentIsToldButNotWhoWaitsForInput() {
        http.start("echo quiet-now; exec sleep 600");
        http.start("read -p quiet-too name", "tty", true);
        Page page = list("/?q=quiet");
        assertThat(row(page, "quiet-now").locator(".line")).hasText("quiet-now");
        assertThat(row(page, "quiet-too").locator(".mark-input")).isVisible();
        page.clock().setFixedTime(Date.from(Instant.now().plus(Duration.ofMinutes(10))));
        page.locator(".switch").getByText("All").click(); // draws
        assertThat(row(page, "quiet-now").locator(".mark-silent")).hasText("silent for 10 min");
        assertThat(row(page, "quiet-too").locator(".mark-silent")).hasCount(0);
    }

    @Test
    void theLastLineIsOfTheStreamThatPrintedLast() throws IOException {
        http.start(": two-streams; echo early warning >&2; " + waitFor("count") + "; seq -f 'line %03.0f' 100; "
                + waitFor("warn") + "; echo late warning >&2; sleep 600");
        Page page = list("/");
        Locator line = row(page, "two-streams").locator(".line");
        assertThat(line).hasText("early warning");
        touch("count");
        assertThat(line).hasText("line 100");
        touch("warn");
        assertThat(line).hasText("late warning");
    }

    @Test
    void whatWaitsForInputAndWhatListensSaySo() {
        int port = PackagedServer.freePort();
        http.start("read -p 'Which colour? ' x", "tty", true);
        http.start("python3 -m http.server " + port);

        Page page = list("/");

        assertThat(row(page, "Which colour").locator(".mark-input")).hasText("waits for input");
        assertThat(row(page, "Which colour").locator(".line")).hasText("Which colour?");
        Locator link = row(page, "http.server").locator(".port");
        assertThat(link).hasText(":" + port);
        assertThat(link).hasAttribute("href", "http://127.0.0.1:" + port + "/");
        assertThat(link).hasAttribute("rel", "noopener noreferrer");

        page.setViewportSize(360, 800);
        assertThat(row(page, "Which colour").locator(".mark-input"))
                .isInViewport(new IsInViewportOptions().setRatio(1)); // else its beginning is cut off
    }

    /** How many bytes a terminal was sent says nothing. */
    @Test
    void aTerminalThatPrintsHasChanged() throws IOException {
        http.start(": screen-changes; " + waitFor("paint") + "; printf '\\033[2Jpainted'; sleep 600", "tty", true);
        Page page = list("/");
        assertThat(row(page, "screen-changes")).isVisible(); // what it printed until then counts as seen
        assertThat(row(page, "screen-changes").locator(".mark-unseen")).hasCount(0);
        touch("paint");
        assertThat(row(page, "screen-changes").locator(".mark-unseen")).hasText("changed");
    }

    @Test
    void aSearchAndALabelNarrowTheListAndStayInTheAddress() {
        http.start("sleep 601 # apple", "labels", Json.object("team", "fruit"));
        http.start("sleep 602 # pear", "labels", Json.object("team", "fruit"));
        http.start("sleep 603 # apple pie");
        Page page = list("/");

        page.keyboard().press("/");
        page.keyboard().type("APPLE");
        assertThat(page.locator(".row")).hasCount(2);
        page.keyboard().press("Enter");
        assertThat(page.locator(".command:focus")).hasText("sleep 603 # apple pie");

        row(page, "sleep 601").getByText("team=fruit").click();
        assertThat(page.locator(".row")).hasCount(1);
        assertThat(page).hasURL(Pattern.compile(".*q=APPLE&label=team%3Dfruit$"));

        page.reload();
        assertThat(page.locator(".row")).hasCount(1);
        assertThat(page.locator(".command")).hasText("sleep 601 # apple");
        page.locator(".label.chosen").click();
        assertThat(page.locator(".row")).hasCount(2);
    }

    /** Faster than the list is narrowed while one types. */
    @Test
    void whoTypesAndPressesEnterAtOnceOpensWhatWasSought() {
        String sought = http.start("sleep 604 # quick cherry");
        http.start("sleep 605 # quick other");
        Page page = list("/?q=quick");
        assertThat(page.locator(".row")).hasCount(2);
        page.clock().pauseAt(System.currentTimeMillis() + 60_000);

        page.keyboard().press("/");
        page.keyboard().press("End");
        page.keyboard().type(" cherry");
        page.keyboard().press("Enter");
        assertThat(page.locator(".command:focus")).hasText("sleep 604 # quick cherry");
        page.keyboard().press("Enter");
        page.clock().runFor(1000);

        assertThat(page).hasURL(Pattern.compile(".*/tasks/" + sought));
    }

    @Test
    void whatIsTypedIntoTheSearchChangesNoOtherPage() {
        http.start("sleep 606 # left behind");
        Page page = list("/?q=behind");
        assertThat(page.locator(".row")).hasCount(1);
        page.clock().pauseAt(System.currentTimeMillis() + 60_000);
        page.keyboard().press("/");
        page.keyboard().type("x");
        page.locator(".row .command").click();
        assertThat(page.locator(".log")).isVisible();
        page.clock().runFor(1000);
        assertThat(page).hasURL(Pattern.compile(".*/tasks/task_.*"));
    }

    @Test
    void whatWasLookedAtIsNotNew() {
        Page page = emptyList("/?q=looked");
        String one = http.start("echo one of two; sleep 600 # looked at");
        String two = http.start("echo two of two; sleep 600 # looked at");
        assertThat(page.locator(".mark-unseen")).hasCount(2);

        page.navigate("/tasks/" + one);
        assertThat(page.locator(".log")).containsText("one of two");
        page.navigate("/?q=looked");
        assertThat(page.locator(".mark-unseen")).hasCount(1);

        page.navigate("/tasks/" + one + "," + two);
        assertThat(page.locator(".log").last()).containsText("two of two");
        page.navigate("/?q=looked");
        assertThat(page.locator(".row")).hasCount(2);
        assertThat(page.locator(".mark-unseen")).hasCount(0);
    }

    /** What the page is told by one connection may come before an older answer by another. */
    @Test
    void whatIsPrintedWhileATaskIsAskedForIsNotMissed() throws IOException {
        Page page = emptyList("/?q=raced");
        CompletableFuture<Route> asked = new CompletableFuture<>();
        CompletableFuture<APIResponse> old = new CompletableFuture<>();
        page.route(Pattern.compile(".*/v1/tasks/task_\\w+$"), route -> {
            if (asked.isDone()) {
                route.resume();
            } else {
                old.complete(route.fetch());
                asked.complete(route);
            }
        });
        String id = http.start(waitFor("raced") + "; echo now; sleep 600 # raced");
        page.waitForCondition(asked::isDone);

        touch("raced");
        http.awaitOutput(id, "now");
        http.start("echo told of after that; sleep 601 # raced");
        assertThat(row(page, "601").locator(".mark-unseen")).hasText("19 B new");
        asked.join().fulfill(new Route.FulfillOptions().setResponse(old.join()));

        assertThat(row(page, "600").locator(".mark-unseen")).hasText("4 B new");
    }

    @Test
    void whatWasLookedAtIsNotNewForWhoLeavesBeforeAllIsListed() {
        Page page = emptyList("/?q=brief");
        String task = http.start("echo one; sleep 600 # brief look");
        http.start("echo two; sleep 600 # brief look");
        assertThat(page.locator(".mark-unseen")).hasCount(2);
        String listing = "**/v1/tasks?status=active*";
        page.route(listing, neverAnswered -> {});

        page.navigate("/tasks/" + task);
        assertThat(page.locator(".log")).containsText("one");
        page.unroute(listing);
        page.navigate("/?q=brief");

        assertThat(page.locator(".row")).hasCount(2);
        assertThat(page.locator(".mark-unseen")).hasCount(1);
    }

    @Test
    void keysMoveOpenAndStop() {
        String first = http.start("sleep 611 # keyboard");
        http.start("sleep 612 # keyboard");
        Page page = list("/?q=keyboard");
        assertThat(page.locator(".row")).hasCount(2);

        page.keyboard().press("j");
        page.keyboard().press("j");
        assertThat(page.locator(".command:focus")).hasText("sleep 611 # keyboard");
        page.keyboard().press("s");
        assertThat(page.locator("dialog")).containsText("sleep 611 # keyboard");
        page.keyboard().press("Escape");
        assertThat(page.locator("dialog")).hasCount(0);
        assertThat(http.task(first).path("status").asText()).isEqualTo("running");

        page.keyboard().press("s");
        page.keyboard().press("Enter");
        assertThat(row(page, "611").locator(".state")).hasText("stopped");
        assertThat(page.locator(".message")).containsText("The task was stopped");
        assertThat(page.locator(".command:focus")).hasText("sleep 611 # keyboard");

        page.keyboard().press("k");
        page.keyboard().press("Enter");
        assertThat(page).hasURL(Pattern.compile(".*/tasks/task_.*"));
        page.goBack();
        assertThat(page).hasURL(Pattern.compile(".*q=keyboard$"));
        page.keyboard().press("?");
        assertThat(page.locator("dialog")).containsText("stop it, after a question");
    }

    @Test
    void whatIsNewWaitsWhileOneIsAboutToAct() {
        http.start("sleep 621 # steady");
        Page page = list("/?q=steady");
        Locator old = row(page, "621");
        old.hover();
        double top = old.boundingBox().y;

        http.start("sleep 622 # steady");
        assertThat(page.locator(".news")).hasText("1 new");
        assertThat(page.locator(".row")).hasCount(1);
        assertThat(old.boundingBox().y).isEqualTo(top);

        page.mouse().move(5, 5);
        assertThat(page.locator(".row")).hasCount(2);
    }

    @Test
    void endedOnesComePageByPage() {
        for (int i = 0; i < 60; i++) {
            http.awaitEnd(http.start("true # many " + i));
        }
        Page page = list("/?status=ended&q=many");
        assertThat(page.locator(".row")).hasCount(50);
        page.getByText("Show older ones").click();
        assertThat(page.locator(".row")).hasCount(60);
        assertThat(page.getByText("Show older ones")).hasCount(0);
    }

    /** What others write is text, whatever it looks like. */
    @Test
    void hostileTextIsText() {
        Page page = CHROMIUM.signedIn(SERVER);
        List<String> alerts = new CopyOnWriteArrayList<>();
        page.onDialog(dialog -> {
            alerts.add(dialog.message());
            dialog.dismiss();
        });
        String markup = "<img src=x onerror=alert(1)>";
        http.start(
                "printf '%s\\n' '" + markup + "\u202Etxt.exe\uDB40\uDC41'; sleep 631 # " + markup + " \u202Efdp",
                "labels",
                Json.object("hostile", "<b>" + markup));
        http.start("sleep 632 # " + "x".repeat(10_000));

        page.navigate("/");

        Locator row = row(page, "sleep 631");
        assertThat(row.locator(".command")).containsText("<img");
        assertThat(row.locator(".line")).hasText(markup + "⟨202E⟩txt.exe⟨E0041⟩");
        assertThat(row.locator(".label")).hasText("hostile=<b>" + markup);
        assertThat(page.locator("main img")).hasCount(0);
        assertThat(row(page, "sleep 632").boundingBox().height).isLessThan(100);
        assertThat(alerts).isEmpty();
    }

    @Test
    void anEmptyListSaysHowToBegin() {
        emptyList("/?q=nothing-is-called-so");
    }
}
