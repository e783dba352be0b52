package dev.holdfast.acceptance;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Pages that are open while the server is away say so, and go on when it is back. */
class ConsoleAwayIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    @RegisterExtension
    static final Chromium CHROMIUM = new Chromium();

    private final Calls http = SERVER.calls();

    @TestFactory
    Stream<DynamicTest> itIsKilledAndComesBack() throws Throwable {
        return Story.over(
                SERVER,
                SERVER::kill,
                theListGoesOn(),
                theLogGoesOn(),
                theBeginningOfALogComes(),
                theTerminalGoesOnAndShowsTheLastScreenInTheEnd(),
                aTaskThatIsOpenedMeanwhileComes());
    }

    private Page list(String address) {
        Page page = CHROMIUM.open(SERVER, address);
        assertThat(page.locator(".row")).hasCount(1);
        return page;
    }

    private static Locator row(Page page, String command) {
        return page.locator(".row").filter(new Locator.FilterOptions().setHasText(command));
    }

    private Story theListGoesOn() {
        http.start("sleep 641 # before");
        Page page = list("/?q=64");

        return new Story(
                "the list goes on",
                () -> {
                    assertThat(page.locator(".connection")).hasText(Pattern.compile("The server is away.*"));
                    assertThat(row(page, "641")).hasCount(1);
                },
                () -> {
                    assertThat(page.locator(".connection")).hasText("Live");
                    http.start("sleep 642 # after");
                    assertThat(row(page, "642")).hasCount(1);
                    assertThat(row(page, "641").locator(".state")).hasText("running");
                });
    }

    private Story theLogGoesOn() {
        String id = http.start("echo before; " + waitFor("back") + "echo after; " + waitFor("back-and-over"));
        TaskPage page = TaskPage.open(SERVER, CHROMIUM, id);
        page.awaitLog(log -> log.equals("before"));

        return new Story(
                "the log goes on",
                () -> {
                    assertThat(page.find(".connection")).containsText("away");
                    page.press("g");
                    assertThat(page.find(".follow")).hasText("Follow");
                    assertThat(page.find(".log-bar [role=status]")).containsText("when the server is back");
                    staysWhileTheServerIsAskedForAgain(page.page());
                    page.awaitLog(log -> log.equals("before"));
                    page.press("f");
                    touch("back");
                },
                () -> {
                    page.awaitLog(log -> log.equals("before\nafter"));
                    assertThat(page.find(".connection")).hasText("Live");
                    touch("back-and-over");
                    assertThat(page.find(".task-head .state")).hasText("exit 0");
                });
    }

    /** What tells of the server comes and goes with no look of the page at what there is already. */
    private static void staysWhileTheServerIsAskedForAgain(Page page) {
        AtomicInteger asked = new AtomicInteger();
        page.onRequestFailed(request -> asked.addAndGet(request.url().endsWith("/v1/events") ? 1 : 0));
        page.evaluate("() => {"
                + "window.gaps = 0;"
                + "const bar = document.querySelector('.log-bar');"
                + "new MutationObserver(() => window.gaps += bar.querySelector('[role=status]') ? 0 : 1)"
                + ".observe(bar, {childList: true, subtree: true}); }");

        page.waitForCondition(() -> asked.get() >= 3);

        Assertions.assertThat(page.evaluate("() => window.gaps")).isEqualTo(0);
    }

    /** Asked for while the server is away. */
    private Story theBeginningOfALogComes() {
        TaskPage page = TaskPage.open(SERVER, CHROMIUM, http.start("seq 30000; exec sleep 973"));
        page.awaitLog(log -> log.endsWith("\n30000"));

        return new Story(
                "the beginning of a log comes",
                () -> {
                    assertThat(page.find(".connection")).containsText("away");
                    page.press("g");
                    assertThat(page.find(".log-bar [role=status]")).containsText("when the server is back");
                    page.awaitLog(log -> log.endsWith("\n30000"));
                },
                () -> page.awaitLog(log -> log.startsWith("1\n2\n")));
    }

    /** Goes on when the test says so. */
    private static String waitFor(String file) {
        return "until [ -e " + file + " ]; do sleep 0.2; done; ";
    }

    private static void touch(String file) throws IOException {
        Files.createFile(SERVER.workspace().resolve(file));
    }

    private Story theTerminalGoesOnAndShowsTheLastScreenInTheEnd() {
        String id = http.start("exec bash --norc", "tty", true);
        TaskPage page = TaskPage.open(SERVER, CHROMIUM, id);
        page.awaitScreen("bash-");
        page.press("i");
        page.type("echo be''fore\n");
        page.awaitScreen("before");

        return new Story(
                "the terminal goes on, and shows the last screen in the end",
                () -> {
                    assertThat(page.find(".terminal-part [role=status]")).hasText("Connecting…");
                    page.type("echo mean''while\n");
                },
                () -> {
                    assertThat(page.find(".terminal-part [role=status]"))
                            .hasText("ctrl-] leaves it, ctrl-shift-v pastes");
                    page.awaitScreen("meanwhile");
                    page.press("Control+]");
                    page.press("i");
                    page.type("echo af''ter\n");
                    page.awaitScreen("after");
                    page.type("exit 4\n");
                    assertThat(page.find(".task-head .state")).hasText("exit 4");

                    page.page().reload();
                    page.awaitScreen("after");
                    assertThat(page.find(".terminal-part [role=status]")).containsText("at the end");
                });
    }

    private Story aTaskThatIsOpenedMeanwhileComes() {
        http.start("echo kept; sleep 600 # opened while away");
        Page page = list("/?q=opened");

        return new Story(
                "a task that is opened meanwhile comes",
                () -> {
                    page.locator(".row .command").click();
                    assertThat(page.locator("h1")).hasText("The server does not answer");
                },
                () -> {
                    assertThat(page.locator(".log")).containsText("kept");
                    assertThat(page.locator(".connection")).hasText("Live");
                });
    }
}
