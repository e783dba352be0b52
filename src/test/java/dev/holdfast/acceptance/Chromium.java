package dev.holdfast.acceptance;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Page.ScreenshotOptions;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A real Chromium, the machine's own, for the pages of the console: one for all classes, a fresh profile for each
 * page's context. Its shell without a window is taken first: the same engine, in a third of the time for a new page.
 * Where none is found the tests are not run, unless {@code HOLDFAST_TEST_BROWSER} says that it is required; the last
 * lines of the build say so. Pictures go to {@code target/pictures}.
 */
public final class Chromium implements BeforeAllCallback, AfterEachCallback {
    private static final Path PICTURES = Path.of("target", "pictures");

    @Nullable
    private static Browser browser;

    private final List<BrowserContext> contexts = new ArrayList<>();

    @Override
    public void beforeAll(ExtensionContext context) {
        Optional<Path> program = program();
        if (program.isEmpty() && System.getenv("HOLDFAST_TEST_BROWSER") == null) {
            Assumptions.abort("no chromium on the PATH");
        }
        if (browser == null) {
            launch(program.orElseThrow());
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        contexts.forEach(BrowserContext::close);
        contexts.clear();
    }

    private static void launch(Path program) {
        Playwright playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        PlaywrightAssertions.setDefaultAssertionTimeout((double) Calls.PATIENCE.toMillis());
        browser = playwright
                .chromium()
                .launch(new LaunchOptions()
                        .setExecutablePath(program)
                        .setArgs(List.of("--no-sandbox", "--disable-dev-shm-usage")));
        // no store of JUnit would keep it: Surefire runs each class as a test plan of its own
        Runtime.getRuntime().addShutdownHook(new Thread(playwright::close));
    }

    private static Optional<Path> program() {
        List<String> folders = List.of(System.getenv("PATH").split(":"));
        return Stream.of("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
                .flatMap(name -> folders.stream().map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * A page of a profile of its own, that sends the server's token with every request: for all but the tests of
     * signing in.
     */
    Page signedIn(PackagedServer server) {
        return page(new NewContextOptions()
                .setBaseURL(server.uri("").toString())
                .setExtraHTTPHeaders(Map.of("Authorization", "Bearer " + server.token())));
    }

    /** The same, at an address and connected. */
    Page open(PackagedServer server, String address) {
        Page page = signedIn(server);
        page.navigate(address);
        PlaywrightAssertions.assertThat(page.locator(".connection")).hasText("Live");
        return page;
    }

    Page page(NewContextOptions options) {
        if (browser == null) {
            throw new IllegalStateException("not launched");
        }
        BrowserContext context = browser.newContext(options);
        contexts.add(context);
        context.setDefaultTimeout((double) Calls.PATIENCE.toMillis());
        return context.newPage();
    }

    /** What hinders who listens to this page. It has no frames, so axe needs no page of its own to join their results. */
    static List<Rule> hindrances(Page page) {
        return new AxeBuilder(page).setLegacyMode(true).analyze().getViolations();
    }

    /** For people to look at. */
    static void picture(Page page, String name) {
        page.screenshot(new ScreenshotOptions().setPath(PICTURES.resolve(name + ".png")));
    }
}
