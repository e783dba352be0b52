package dev.holdfast.acceptance;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Section 16: the page of a task that prints, as a person sees it. */
class ConsoleTaskIT {
    /** Boxes that stand out of their columns, and so over others. */
    private static final String COVERING =
            "[...document.querySelectorAll('.column :is(.log, .terminal-box)')].filter(box =>"
                    + " box.checkVisibility() && box.getBoundingClientRect().bottom > box.closest('.column').getBoundingClientRect().bottom)"
                    + ".map(box => box.className)";

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    @RegisterExtension
    static final Chromium CHROMIUM = new Chromium();

    private static final Pattern NUMBER = Pattern.compile("^\\d{9}$", Pattern.MULTILINE);

    private final Calls http = SERVER.calls();

    private TaskPage open(String id) {
        return TaskPage.open(SERVER, CHROMIUM, id);
    }

    /** Goes on when the test says so. */
    private static String waitFor(String file) {
        return "until [ -e " + file + " ]; do sleep 0.2; done; ";
    }

    private static void touch(String file) throws IOException {
        Files.createFile(SERVER.workspace().resolve(file));
    }

    private static List<Integer> numbers(String log) {
        return NUMBER.matcher(log)
                .results()
                .map(MatchResult::group)
                .map(Integer::valueOf)
                .toList();
    }

    private static void assertWithoutHoles(List<Integer> numbers) {
        assertThat(numbers).isNotEmpty();
        assertThat(numbers.getLast() - numbers.getFirst()).isEqualTo(numbers.size() - 1);
    }

    @Test
    void theHeadTellsHowItStandsAndEnds() throws IOException {
        String id = http.start(waitFor("head") + "exit 3", "labels", Json.object("team", "web"));
        TaskPage page = open(id);
        assertThat(page.find("h1")).containsText("exit 3");
        assertThat(page.find(".task-head [role=status]")).hasText("running");
        assertThat(page.find(".task-head .label")).hasText("team=web");
        page.find(".more-of-it > summary").click();
        assertThat(page.find(".about")).containsText(SERVER.workspace().toString());
        assertThat(page.find("tbody tr").first()).containsText("bash");

        touch("head");

        assertThat(page.find(".task-head [role=status]")).hasText("exit 3");
        assertThat(page.find(".timeline")).containsText("ended: exit 3");
        assertThat(page.button("Stop")).hasCount(0);
    }

    @Test
    void aLongWordIsSeenInTheHeadAsFarAsThereIsRoom() {
        TaskPage page = open(http.start("sleep 600 #" + "/a-long-folder".repeat(20)));
        assertThat(page.find("h1").evaluate("""
                h1 => {
                    const text = [...h1.childNodes].find(node => node.data?.startsWith('sleep'));
                    const seen = document.createRange();
                    seen.setStart(text, 0);
                    seen.setEnd(text, 60);
                    return seen.getBoundingClientRect().bottom <= h1.getBoundingClientRect().bottom;
                }""")).isEqualTo(true);
    }

    @Test
    void aTaskThatWasForgottenSaysSoAndEachPageHasItsTitle() {
        String other = http.start("sleep 600 # another one");
        String id = http.start("echo kept no more");
        http.awaitEnd(id);
        Page fresh = CHROMIUM.signedIn(SERVER);
        fresh.clock().install();
        TaskPage page = TaskPage.open(SERVER, fresh, id);
        assertThat(fresh).hasTitle("echo kept no more · Holdfast");
        page.awaitLog(log -> log.contains("kept no more"));

        http.delete("/v1/tasks/" + id);
        fresh.clock().runFor(11_000);

        assertThat(page.find(".task-head")).containsText("This task was forgotten");
        fresh.reload();
        assertThat(fresh.locator("h1")).hasText(id + " was forgotten, with its output.");
        assertThat(fresh.locator(".trouble")).not().containsText("may have been");
        assertThat(open(other).page()).hasTitle("sleep 600 # another one · Holdfast");
    }

    @Test
    void theLogFollowsUntilSomebodyLooksUp() throws IOException {
        String id = http.start("seq -f %09.0f 1 3000; " + waitFor("more") + "seq -f %09.0f 3001 3100; " + waitFor("on")
                + "seq -f %09.0f 3101 3200; sleep 600");
        TaskPage page = open(id);
        page.awaitLog(log -> log.endsWith("000003000"));
        assertThat(page.fromEnd()).isLessThan(2);

        page.scroll(-600);
        assertThat(page.find(".follow")).hasText("Follow");
        double stands = page.fromStart();
        touch("more");
        assertThat(page.find(".below")).isVisible();
        assertThat(page.fromStart()).isEqualTo(stands);

        page.find(".below").click();
        page.awaitLog(log -> log.endsWith("000003100"));
        assertThat(page.find(".follow")).hasText("Following");
        assertThat(page.find(".below")).isHidden();
        touch("on");
        page.awaitLog(log -> log.endsWith("000003200"));
        assertThat(page.fromEnd()).isLessThan(2);
    }

    @Test
    void aFloodIsFollowedToItsEnd() {
        String id = http.start("timeout 2 yes 'a line of a flood'; echo over");
        TaskPage page = open(id);
        http.awaitEnd(id);
        page.awaitLog(log -> log.endsWith("over"));
        assertThat(page.find(".follow")).hasText("To its end");
        assertThat(page.find(".follow")).isDisabled();
        assertThat(page.fromEnd()).isLessThan(2);
    }

    @Test
    void earlierOutputComesAsOneScrollsUpAndTheViewStaysWhereItIs() {
        String id = http.start("seq -f %09.0f 1 200000");
        http.awaitEnd(id);
        TaskPage page = open(id);
        page.awaitLog(log -> log.endsWith("000200000"));
        assertThat(numbers(page.log()).getFirst()).isGreaterThan(150_000);

        await().atMost(Calls.PATIENCE).until(() -> {
            page.scroll(-40_000);
            return numbers(page.log()).getFirst() < 180_000;
        });
        assertWithoutHoles(numbers(page.log()));
        await().atMost(Calls.PATIENCE).until(() -> {
            page.scroll(60_000);
            return page.find(".follow").isDisabled();
        });
        assertWithoutHoles(numbers(page.log()));
        assertThat(page.log()).endsWith("000200000");

        page.press("g");
        page.awaitLog(log -> log.startsWith("000000001"));
        assertThat(page.fromStart()).isZero();
        page.press("G");
        page.awaitLog(log -> log.endsWith("000200000"));
    }

    @Test
    void twoHundredMegabytesAreNeverReadWhole() {
        String id = http.start("seq 100000000 119999999");
        http.awaitEnd(id);
        Page page = CHROMIUM.signedIn(SERVER);
        long[] read = {0};
        page.onResponse(response -> {
            if (response.url().contains("/output")) {
                read[0] += response.body().length;
            }
        });
        long from = System.nanoTime();
        page.navigate("/tasks/" + id);
        TaskPage task = new TaskPage(page);
        task.awaitLog(log -> log.endsWith("119999999"));
        Duration took = Duration.ofNanos(System.nanoTime() - from);
        System.out.println("200 MB opened in " + took.toMillis() + " ms");
        assertThat(took).isLessThan(Duration.ofSeconds(10));
        assertThat(read[0]).isLessThan(1 << 20);

        task.press("g");
        task.awaitLog(log -> log.startsWith("100000000"));
        task.press("/");
        task.type("119999990");
        task.press("Enter");
        assertThat(task.find(".hit")).hasText("119999990");
    }

    @Test
    void whatIsNoLongerKeptIsAGap() throws Exception {
        PackagedServer small = new PackagedServer().with("HOLDFAST_OUTPUT_MAX_BYTES", "262144");
        small.beforeAll();
        try {
            Calls calls = small.calls();
            String id = calls.start("seq -f %09.0f 1 200000");
            calls.awaitEnd(id);
            TaskPage page = TaskPage.open(small, CHROMIUM, id);
            page.awaitLog(log -> log.endsWith("000200000"));
            await().atMost(Calls.PATIENCE).until(() -> {
                page.scroll(-60_000);
                return page.find(".gap").count() == 1;
            });
            assertThat(page.find(".gap")).containsText("are not kept");
            page.press("g");
            page.awaitLog(log -> log.startsWith("000000001"));
            await().atMost(Calls.PATIENCE).until(() -> {
                page.scroll(60_000);
                return page.log().contains("000200000");
            });
        } finally {
            small.afterAll();
        }
    }

    @Test
    void aSearchFindsInAllOfItAndGoesFromOneToTheNext() {
        String id = http.start("seq -f %09.0f 1 100000; echo 'the needle (1)' >&2");
        http.awaitEnd(id);
        TaskPage page = open(id);
        page.press("/");
        page.type("0000050.0");
        page.find("select[name=as]").selectOption("re2");
        page.button("Find").click();
        assertThat(page.find(".hit")).hasText("000005090");
        assertThat(page.find(".match")).hasCount(10);
        assertThat(page.find(".match[aria-current] mark")).hasText("000005090");

        page.press("N");
        assertThat(page.find(".hit")).hasText("000005080");
        page.press("n");
        page.press("n");
        assertThat(page.find(".hit")).hasText("000005000");

        page.press("/");
        page.type("needle (1)");
        page.find("select[name=as]").selectOption("words");
        page.button("Find").click();
        assertThat(page.find(".stderr .hit")).hasText("the needle (1)");
        page.find("[type=search]").press("Escape");
        assertThat(page.find(".search")).hasCount(0);
        assertThat(page.find("h1")).isVisible();
    }

    @Test
    void ofManyMatchesTheFirstAreAClickAway() {
        String id = http.start("seq -f 'error %g' 2000");
        http.awaitEnd(id);
        TaskPage page = open(id);
        page.press("/");
        page.type("error");
        page.press("Enter");
        assertThat(page.find(".hit")).hasText("error 2000");
        page.button("The first ones").click();
        assertThat(page.find(".hit")).hasText("error 1");
        assertThat(page.find(".search [role=status]")).containsText("1 of the first 100");
        page.press("n");
        assertThat(page.find(".hit")).hasText("error 2");
        page.button("The last ones").click();
        assertThat(page.find(".hit")).hasText("error 2000");
    }

    /** Which line came first of two streams is not on record. */
    @Test
    void whatTwoStreamsPrintedBeforeOneLookedHasNoOrder() throws IOException {
        String id = http.start("seq -f 'out %g' 100; seq -f 'warning %g' 40 >&2; " + waitFor("news") + "echo new out; "
                + waitFor("bad-news") + "echo new warning >&2; " + waitFor("last-news") + "echo last out; sleep 600");
        http.awaitOutput(id, "warning 40");
        TaskPage page = open(id);
        Locator apart = page.find(".apart");
        assertThat(apart.locator("summary")).hasText("On stderr: 40 lines (order against stdout not known)");
        page.awaitLog(log -> log.contains("out 100\nOn stderr") && !log.contains("warning"));

        touch("news");
        page.awaitLog(log -> log.endsWith("new out"));
        touch("bad-news");
        page.awaitLog(log -> log.endsWith("new warning"));
        touch("last-news");
        page.awaitLog(log -> log.endsWith("new out\nnew warning\nlast out"));

        apart.locator("summary").click();
        assertThat(apart).containsText("warning 40");
        assertThat(page.find(".follow")).hasText("Follow");
    }

    @Test
    void ofTheOtherStreamTheLastLinesAreShownAndAllOfThemAreAClickAway() {
        String id = http.start("seq -f 'out %g' 2000; seq -f 'warning %g' 2000 >&2");
        http.awaitEnd(id);
        TaskPage page = open(id);
        assertThat(page.find(".apart summary")).containsText("of its lines");
        page.find(".apart summary").click();
        assertThat(page.find(".apart .stderr")).containsText("warning 2000");
        assertThat(page.find(".apart .stderr")).not().containsText("warning 1000\n");
        page.press("g");
        assertThat(page.find(".apart")).hasCount(0);
        page.awaitLog(log -> log.startsWith("out 1\n"));
        page.press("G");
        page.find(".apart summary").click();
        page.find(".alone").click();
        assertThat(page.find(".switch [aria-pressed=true]")).hasText("stderr");
        page.awaitLog(log -> log.endsWith("warning 2000") && !log.contains("out"));

        String errors = http.start("echo short; seq -f 'warning %g' 2000 >&2");
        http.awaitEnd(errors);
        page = open(errors);
        page.awaitLog(log -> log.endsWith("warning 2000\nOn stdout: 1 line (order against stderr not known)\nshort"));
    }

    @Test
    void aSearchGoesOnByKeysAloneAndSaysWhatIsWrongWithWhatWasTyped() {
        String id = http.start("seq -f 'row %g' 12; sleep 600");
        http.awaitOutput(id, "row 12");
        TaskPage page = open(id);
        page.press("/");
        page.type("row 1");
        page.press("Enter");
        assertThat(page.find(".hit")).hasText("row 12");
        page.press("N");
        assertThat(page.find(".hit")).hasText("row 11");

        page.press("/");
        page.find("select[name=as]").selectOption("re2");
        page.find("[type=search]").fill("(");
        page.find("[type=search]").press("Enter");
        assertThat(page.find(".search [role=status]")).containsText("missing closing ): `(`");
        page.press("Escape");
        page.press("/");
        assertThat(page.find(".search [role=status]")).hasText("");
    }

    @Test
    void aSearchThatIsClosedLeavesTheLogAsItWas() throws IOException {
        String id = http.start("seq -f 'out %g' 500; seq -f 'warning %g' 500 >&2; " + waitFor("searched")
                + "echo more >&2; sleep 600");
        http.awaitOutput(id, "warning 500");
        TaskPage page = open(id);
        for (String pattern : List.of("out 250", "warning 250")) {
            page.press("/");
            page.type(pattern);
            page.press("Enter");
            assertThat(page.find(".hit")).hasText(pattern);
            assertThat(page.find(".follow")).hasText("Follow");
            page.press("Escape");
            assertThat(page.find(".follow")).hasText("Following");
            assertThat(page.find(".switch [aria-pressed=true]")).hasText("Both");
        }
        page.button("stdout").click();
        page.press("/");
        page.type("warning 250");
        page.press("Enter");
        assertThat(page.find(".hit")).hasText("warning 250");
        page.press("Escape");
        assertThat(page.find(".switch [aria-pressed=true]")).hasText("stdout");
        page.button("Both").click();
        // What comes while both are still being read has no known order.
        page.awaitLog(log -> log.contains("On stdout: 500 lines"));
        touch("searched");
        page.awaitLog(log -> log.endsWith("more"));
    }

    /** When a task began to wait is told of what was seen alone. */
    @Test
    void theTimelineTellsWhatIsKnown() throws IOException {
        String id = http.start(
                "read -p 'Name? ' x; " + waitFor("asks-again") + "read -p 'Colour? ' y; exit 4", "accepts_input", true);
        await().atMost(Calls.PATIENCE)
                .until(() -> http.task(id).path("waiting").asText().equals("input"));
        TaskPage page = open(id);
        page.find(".more-of-it > summary").click();
        Locator timeline = page.find(".timeline");
        assertThat(timeline).containsText("seen waiting for input; since when is not on record");
        assertThat(timeline).not().containsText("waits for input");
        http.input(id, "text", "Ada\n").hasStatus(200);
        assertThat(timeline).containsText("input of 4 bytes by operator");
        assertThat(timeline.locator("li")).containsText(new String[] {
            "queued", "started", "became a task", "seen waiting", "input of 4 bytes", "waits no longer"
        });
        touch("asks-again");
        assertThat(timeline.getByText("waits for input")).hasCount(1);
        http.input(id, "text", "red\n").hasStatus(200);
        assertThat(timeline).containsText("ended: exit 4");
    }

    @Test
    void theTimelineHasTheNewestOfALongJournal() {
        String id = http.start("cat > /dev/null", "accepts_input", true);
        for (int i = 0; i < 210; i++) {
            http.input(id, "text", "a").hasStatus(200);
        }
        http.input(id, "text", "the last").hasStatus(200);
        TaskPage page = open(id);
        page.find(".more-of-it > summary").click();
        assertThat(page.find(".timeline")).containsText("input of 8 bytes by operator");
        assertThat(page.find(".timeline").getByText("input of")).hasCount(200);
        assertThat(page.find("[aria-label=Timeline] a")).hasAttribute("href", "/audit?task=" + id);
        http.input(id, "text", "and another").hasStatus(200);
        assertThat(page.find(".timeline")).containsText("input of 11 bytes by operator");
    }

    @Test
    void whatEndedItIsSaidAndNoMore() {
        String id = http.start("kill -SEGV $$");
        http.awaitEnd(id);
        TaskPage page = open(id);
        assertThat(page.find(".why")).hasText("It was ended by signal SIGSEGV.");
    }

    @Test
    void whatACommandPrintsIsTextInColours() {
        String id = http.start("""
                printf '\\033[31mred\\033[0m \\033[1;38;5;208mfixed\\033[0m \\033[48;2;1;2;3mown\\033[0m\\n'
                printf 'loading 10%%\\rloading 99%%\\n'
                printf '<script>document.title="owned"</script><img src=x onerror="document.title=1"> &amp; <b>\\n'
                printf '\\033]8;;javascript:alert(1)\\033\\\\bad\\033]8;;\\033\\\\ \\033]8;;https://example.org/a?b\\033\\\\good\\033]8;;\\033\\\\\\n'
                printf 'nul\\000 bell\\007 \\033]0;title\\007\\033[2J\\033[10;10Hhere \\033[?1049h\\n'
                printf '\\342\\200\\256desrever \\327\\251\\327\\234\\327\\225\\327\\235\\n'
                printf 'bad \\377\\376 utf\\n\\033['; echo '<b>err</b>' >&2; printf 'unfinished \\033]8;;https://x'""");
        http.awaitEnd(id);
        TaskPage page = open(id);
        page.awaitLog(log -> log.contains("utf"));
        String log = page.log();
        assertThat(log)
                .startsWith("red fixed own\nloading 99%\n<script>document.title=\"owned\"</script><img src=x onerror=")
                .contains("&amp; <b>\nbad good\nnul bell here \n")
                .contains("bad \uFFFD\uFFFD utf");
        assertThat(page.find(".stderr")).hasText("<b>err</b>");
        assertThat(page.find(".fg-1")).hasText("red");
        assertThat(page.find(".bold")).hasCSS("color", "rgb(255, 135, 0)");
        assertThat(page.find(".bg-own")).hasCSS("background-color", "rgb(1, 2, 3)");
        assertThat(page.find(".log img, .log script, .log b, .log a")).hasCount(0);
        assertThat(page.page()).hasTitle(Pattern.compile("Holdfast$"));

        Locator link = page.find(".outside");
        assertThat(link).hasCount(1);
        link.click();
        assertThat(page.find("dialog")).containsText("https://example.org/a?b");
        page.find("dialog").getByText("Cancel").click();
        assertThat(page.find("dialog")).hasCount(0);
        assertThat(page.page().context().pages()).hasSize(1);
    }

    @Test
    void stoppingAsksFirst() {
        String id = http.start("sleep 600");
        TaskPage page = open(id);
        page.press("s");
        page.press("Escape");
        assertThat(page.find("dialog")).hasCount(0);
        assertThat(http.task(id).path("status").asText()).isEqualTo("running");

        page.press("s");
        page.press("Enter");

        assertThat(page.find(".task-head .state")).hasText("stopped");
        assertThat(http.awaitEnd(id).path("ended_by").asText()).isEqualTo("stop");
        page.find(".more-of-it > summary").click();
        assertThat(page.find(".timeline")).containsText("stop asked for");
    }

    @Test
    void aStopOfWhatHasEndedMeanwhileSaysSo() {
        String id = http.start("sleep 600");
        TaskPage page = open(id);
        page.press("s");
        assertThat(page.find("dialog")).isVisible();
        http.stop(id, "force", true).hasStatus(200);

        page.press("Enter");

        assertThat(page.find(".message")).containsText("The task had ended before");
    }

    @Test
    void whatItLeftRunningIsToldUntilItIsEnded() {
        String id = http.start("setsid sleep 6071 & echo over");
        http.awaitEnd(id);
        TaskPage page = open(id);
        assertThat(page.find(".left")).containsText("Left running: sleep 6071");
        page.button("End what it left").click();
        assertThat(page.find(".message")).containsText("was ended");
        assertThat(page.find(".left")).hasCount(0);
        assertThat(page.button("End what it left")).hasCount(0);
        assertThat(page.button("Run again")).isVisible();
    }

    @Test
    void signalsAreSent() {
        String id = http.start("trap 'echo got usr1' USR1; echo ready; while :; do sleep 0.1; done");
        http.awaitOutput(id, "ready");
        TaskPage page = open(id);
        page.find("[aria-label='Send a signal']").selectOption("USR1");
        page.awaitLog(log -> log.contains("got usr1"));
    }

    @Test
    void aTaskThatWaitsIsAnswered() {
        String id = http.start("read -p name n; echo hello $n; cat; echo over", "accepts_input", true);
        TaskPage page = open(id);
        assertThat(page.find(".input.asked")).containsText("Waits for input");
        page.press("i");
        page.type("<Ada>");
        page.press("Enter");
        page.awaitLog(log -> log.contains("hello <Ada>"));
        page.button("End of input").click();
        page.awaitLog(log -> log.contains("over"));
        assertThat(page.find(".input")).hasCount(0);
    }

    @Test
    void theSameCommandRunsAgainAsAnotherTask() {
        String id = http.start("echo from $PWD", "workdir", ".", "labels", Json.object("team", "web"));
        http.awaitEnd(id);
        TaskPage page = open(id);
        page.button("Run again").click();
        assertThat(page.page()).not().hasURL(Pattern.compile(id));
        page.awaitLog(log -> log.contains("from " + SERVER.workspace()));
        assertThat(page.find(".label")).hasText("team=web");

        String limited = http.start(
                "true",
                "tty",
                true,
                "rows",
                31,
                "cols",
                97,
                "timeout_ms",
                60_000,
                "idle_timeout_ms",
                30_000,
                "on_exit",
                "stop");
        http.awaitEnd(limited);
        page = open(limited);
        page.button("Run again").click();
        assertThat(page.page()).not().hasURL(Pattern.compile(limited));
        String again = page.page().url().replaceFirst(".*/", "");
        org.assertj.core.api.Assertions.assertThat(
                        http.task(again).path("command").toString())
                .contains("\"rows\":31", "\"cols\":97", "\"timeout_ms\":60000", "\"idle_timeout_ms\":30000")
                .contains("\"on_exit\":\"stop\"");

        String secret = http.start("true --password=hunter2hunter2");
        http.awaitEnd(secret);
        TaskPage masked = open(secret);
        masked.button("Run again").click();
        assertThat(masked.find(".message")).containsText("secrets");
    }

    @Test
    void anObserverSeesAllAndHasNoButtonsThatChange() throws Exception {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest("of-watcher".getBytes(StandardCharsets.UTF_8));
        Files.writeString(
                SERVER.data().resolve("tokens.yaml"),
                "tokens:\n  - {name: watcher, role: observer, sha256: "
                        + HexFormat.of().formatHex(hash) + "}\n");
        PackagedServer asWatcher = SERVER.calledWith("of-watcher");
        await().atMost(Calls.PATIENCE)
                .until(() -> asWatcher.calls().get("/v1/tasks").status() == 200);
        String id = http.start("echo seen; read -p x y", "accepts_input", true);
        TaskPage page = TaskPage.open(asWatcher, CHROMIUM, id);
        page.awaitLog(log -> log.equals("seen"));
        assertThat(page.find(".mark-input")).isVisible();
        assertThat(page.find(".task-actions button")).hasText("Copy id");
        assertThat(page.find("select:not(.beside), .input")).hasCount(0);
        page.press("s");
        assertThat(page.find("dialog")).hasCount(0);
    }

    @Test
    void severalAreFollowedSideBySide() {
        String one = http.start("echo from one; sleep 600");
        String two = http.start("echo from two >&2; read -p x y", "accepts_input", true);
        TaskPage page = open(one + "," + two);
        assertThat(page.find(".column")).hasCount(2);
        assertThat(page.find(".column .log").first()).containsText("from one");
        assertThat(page.find(".column .log").last()).containsText("from two");
        assertThat(page.find(".mark-input")).hasCount(1);
        assertThat(page.find(".column").last().locator(".mark-input")).isVisible();
        Chromium.picture(page.page(), "side-by-side");
    }

    /** More than is read at once, and than is kept on the page. */
    @Test
    void aProgressBarIsOneLineAndWhatCameBeforeItIsInReach() {
        String id = http.start(
                "for e in 1 2 3 4; do echo epoch $e; for i in $(seq 8000); do"
                        + " printf '\\rstep %d of 8000, and some words more' $i; done; echo; done; echo behind; exec sleep 600");
        String bar = "\nstep 8000 of 8000, and some words more\n";
        String shown = "epoch 1" + bar + "epoch 2" + bar + "epoch 3" + bar + "epoch 4" + bar + "behind";
        TaskPage page = open(id);
        page.awaitLog(shown::equals);
        page.press("g");
        assertThat(page.find(".follow")).hasText("Follow");
        page.awaitLog(shown::equals);
    }

    @Test
    void fourSideBySideAreAllInView() {
        TaskPage page = open(String.join(
                ",",
                http.start("echo log one; sleep 600"),
                http.start("echo log two; sleep 600"),
                http.start("exec bash --norc", "tty", true),
                http.start("exec python3 -q", "tty", true)));
        for (int width : List.of(1200, 1920)) {
            page.page().setViewportSize(width, 800);
            assertThat(page.find(".xterm-screen")).hasCount(2);
            await("terminals fit their columns").atMost(Calls.PATIENCE).untilAsserted(() -> {
                assertThat(page.page().evaluate("document.documentElement.scrollHeight"))
                        .isEqualTo(800);
                assertThat(page.page().evaluate(COVERING)).isEqualTo(List.of());
            });
            Chromium.picture(page.page(), "side-by-side-four-" + width);
        }
    }

    @Test
    void aTerminalIsOneBesideOthersToo() {
        String log = http.start("seq 100; echo 'late warning' >&2; sleep 600");
        String terminal =
                http.start("printf '\\033[2J\\033[3;100Hfar right\\033[20;1Hbelow'; exec sleep 600", "tty", true);
        TaskPage page = open(log + "," + terminal);
        Locator column = page.find(".column").last();
        assertThat(column.locator(".xterm-screen")).isVisible();
        assertThat(page.find(".column").first().locator(".log")).containsText("late warning");
        await().atMost(Calls.PATIENCE)
                .until(() -> column.locator(".xterm-screen").boundingBox().width <= column.boundingBox().width);
        column.getByText("For screen readers").click();
        assertThat(column.locator(".xterm-accessibility")).containsText("far right");
        Chromium.picture(page.page(), "side-by-side-terminal");
        column.getByText("Log", new Locator.GetByTextOptions().setExact(true)).click();
        assertThat(column.locator(".log")).isVisible();
    }

    @Test
    void keysDoWhatTheirHelpSays() {
        TaskPage page = open(http.start("sleep 600"));
        page.press("?");
        assertThat(page.find("dialog .keys")).containsText("search in all of it");
        page.press("Escape");
        assertThat(page.find("dialog")).hasCount(0);
        page.press("f");
        assertThat(page.find(".follow")).hasText("Follow");
        page.press("Escape");
        assertThat(page.page()).hasURL(SERVER.uri("/").toString());
    }

    /** By day and by night, and on a telephone: the page stays, as for who turns the light out. */
    @Test
    void readsWellForWhoListens() {
        String id = http.start("""
                for i in $(seq 0 15); do printf '\\033[38;5;%dmcolour %d\\033[0m \\033[48;5;%dmon it\\033[0m\\n' $i $i $i; done
                echo 'warning: it is late' >&2; seq 1000; echo '2 tests failed'; read -p 'Go on? ' x""", "accepts_input", true, "labels", Json.object("team", "web"));
        TaskPage page = open(id);
        assertThat(page.find(".input.asked")).isVisible();
        page.press("g");
        page.awaitLog(log -> log.startsWith("colour 0"));
        readsWellByDayAndByNight(page, "task-");
        page.find(".more-of-it > summary").click();
        page.press("/");
        page.type("99");
        page.press("Enter");
        assertThat(page.find(".hit")).isVisible();
        readsWellByDayAndByNight(page, "task-search-");

        page.page().setViewportSize(400, 800);
        page.page().reload();
        assertThat(page.find(".log .block").first()).isVisible();
        await("all fits its width")
                .atMost(Calls.PATIENCE)
                .until(() -> page.page().evaluate("document.documentElement.scrollWidth"), width -> width.equals(400));
        Chromium.picture(page.page(), "task-narrow");
        assertThat(Chromium.hindrances(page.page())).isEmpty();
    }

    private static void readsWellByDayAndByNight(TaskPage page, String name) {
        for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            page.page()
                    .emulateMedia(new Page.EmulateMediaOptions()
                            .setColorScheme(scheme)
                            .setReducedMotion(ReducedMotion.REDUCE)); // else colours may be on their way
            Chromium.picture(page.page(), name + scheme.name().toLowerCase(Locale.ROOT));
            assertThat(Chromium.hindrances(page.page())).isEmpty();
        }
    }
}
