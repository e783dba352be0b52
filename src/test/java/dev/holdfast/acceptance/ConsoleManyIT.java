package dev.holdfast.acceptance;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions.HasCountOptions;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.stream.DoubleStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A thousand tasks in the list, some of them printing: the page stays light, and scrolls as if there were ten. */
class ConsoleManyIT {
    private static final int TASKS = 1000;
    private static final int PRINTING = 50;
    /** As many as fill the page a few times; with ten times as many a frame costs some seven times as much. */
    private static final int FEW = 100;

    private static final int MORE_THAN_FEW = 12;

    private static final double SECONDS = 3;
    /** Of a core, in the middle one of some windows: others' work makes it dearer, now and then. */
    private static final double MOST = 0.3;

    private static final int WINDOWS = 3;
    /** Two frames of 60 a second. It is less than one on a machine of its own; a slow one is held to what few cost on it. */
    private static final double FRAME_SECONDS = 0.032;

    private static final int FRAMES = 45;
    /** Turns the wheel by so many pixels with each frame, down and up again. */
    private static final String SCROLL = "frames => new Promise(done => { let turn = 0; const next = () => {"
            + " scrollBy(0, turn < frames * 2 / 3 ? 400 : -800); turn++ < frames ? requestAnimationFrame(next) : done(scrollY); };"
            + " next(); })";

    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer().with("HOLDFAST_LIMITS_RUNNING", Integer.toString(TASKS));

    @RegisterExtension
    static final Chromium CHROMIUM = new Chromium();

    /** Without a shell. */
    private static final Object IDLE =
            Json.object("argv", List.of("sleep", "600"), "yield_time_ms", 0, "duplicate_policy", "start_new");

    private final Calls http = SERVER.calls();

    @Test
    void aThousandOfThemAreCheapToWatchAndToScroll() {
        startIdle(FEW);
        Page few = CHROMIUM.signedIn(SERVER);
        few.navigate("/");
        assertThat(few.locator(".row")).hasCount(FEW);
        double ofFew = median(() -> secondsOfAFrame(few));
        few.close();
        startIdle(TASKS - PRINTING - FEW);
        for (int i = 0; i < PRINTING; i++) {
            http.start("mkfifo p" + i + "; while echo step $((n += 1)); do read -t 0.2 <> p" + i + "; done");
        }
        Page page = CHROMIUM.signedIn(SERVER);
        page.navigate("/");
        assertThat(page.locator(".row"))
                .hasCount(TASKS, new HasCountOptions().setTimeout((double) Calls.PATIENCE.toMillis()));
        assertThat(page.locator(".line").first()).containsText("step");

        double load = median(() -> loadWhileWatched(page));
        double frame = median(() -> secondsOfAFrame(page));
        System.out.printf(
                "%d tasks, %d printing: the page takes %.1f %% of a core, and %.1f ms for a frame of scrolling, %.1f with %d%n",
                TASKS, PRINTING, load * 100, frame * 1000, ofFew * 1000, FEW);
        assertThat(load).as("of a core").isLessThan(MOST);
        assertThat(frame)
                .as("seconds of the page's thread for a frame")
                .isLessThan(Math.max(FRAME_SECONDS, MORE_THAN_FEW * ofFew));
    }

    private void startIdle(int count) {
        for (int i = 0; i < count; i++) {
            http.post("/v1/commands", IDLE).promoted();
        }
    }

    private static double median(DoubleSupplier measure) {
        return DoubleStream.generate(measure).limit(WINDOWS).sorted().toArray()[WINDOWS / 2];
    }

    private static double loadWhileWatched(Page page) {
        CDPSession browser = page.context().browser().newBrowserCDPSession();
        double before = rendererSeconds(browser);
        page.evaluate("seconds => new Promise(done => setTimeout(done, seconds * 1000))", SECONDS);
        return (rendererSeconds(browser) - before) / SECONDS;
    }

    private static double rendererSeconds(CDPSession browser) {
        return StreamSupport.stream(
                        browser.send("SystemInfo.getProcessInfo")
                                .getAsJsonArray("processInfo")
                                .spliterator(),
                        false)
                .map(process -> process.getAsJsonObject())
                .filter(process -> process.get("type").getAsString().equals("renderer"))
                .mapToDouble(process -> process.get("cpuTime").getAsDouble())
                .sum();
    }

    /** Time of the processor, so that others' work does not count. */
    private static double secondsOfAFrame(Page page) {
        CDPSession cdp = page.context().newCDPSession(page);
        JsonObject threads = new JsonObject();
        threads.addProperty("timeDomain", "threadTicks");
        cdp.send("Performance.enable", threads);
        double before = taskSeconds(cdp);
        page.evaluate(SCROLL, FRAMES);
        return (taskSeconds(cdp) - before) / FRAMES;
    }

    private static double taskSeconds(CDPSession cdp) {
        return StreamSupport.stream(
                        cdp.send("Performance.getMetrics")
                                .getAsJsonArray("metrics")
                                .spliterator(),
                        false)
                .map(metric -> metric.getAsJsonObject())
                .filter(metric -> metric.get("name").getAsString().equals("TaskDuration"))
                .mapToDouble(metric -> metric.get("value").getAsDouble())
                .findFirst()
                .orElseThrow();
    }
}
