package dev.holdfast.acceptance;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Page.EmulateMediaOptions;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each page light, dark and narrow, by keyboard alone, and for who listens to it; with pictures for people to look at.
 */
class ConsoleLooksIT {
    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer(); // nothing else to see

    @RegisterExtension
    static final Chromium CHROMIUM = new Chromium();

    @BeforeAll
    static void somethingToSee() throws IOException {
        Files.writeString(SERVER.data().resolve("policy.yaml"), """
                version: 1
                rules:
                  - id: deploys
                    match: {executable: [kubectl, git]}
                    decision: ask
                    reason: Deploys go through a person.
                """);
        Calls http = SERVER.calls();
        await().atMost(Calls.PATIENCE)
                .until(() -> http.post("/v1/policy/check", Json.object("cmd", "kubectl"))
                        .text("/decision")
                        .equals("ask"));
        http.run("cd web && kubectl apply -f production.yaml && echo done", "yield_time_ms", 0);
        http.run("git push origin main", "yield_time_ms", 0);
        http.run("git push origin main\n" + "echo 'and so on'\n".repeat(60), "yield_time_ms", 0);
        String denied = http.run("git push origin " + "a-long-name".repeat(30), "yield_time_ms", 0)
                .text("/approval_id");
        assertThat(http.post("/v1/approvals/" + denied, Json.object("decision", "deny"))
                        .status())
                .isEqualTo(200);
        http.awaitEnd(http.start("echo '212 tests passed'"));
        http.awaitEnd(http.start("echo '2 tests failed'; exit 1"));
        http.start("read -p 'Package name: (holdfast) ' name", "tty", true);
        http.start(
                "python3 -u -m http.server " + PackagedServer.freePort(),
                "labels",
                Json.object("team", "web", "kind", "server"));
        http.start(
                "for i in $(seq 5000); do echo \"[$i/5000] compiling\"; sleep 1; done",
                "labels",
                Json.object("team", "web"));
    }

    private Page open(String address) {
        Page page = CHROMIUM.open(SERVER, address);
        assertThat(page.locator(".row, .ask, .check, .journal tr").first()).isVisible();
        if (page.locator(".row").count() > 0) { // what it printed comes a moment later
            assertThat(page.locator(".row").last().locator(".line")).hasText(Pattern.compile("\\S"));
        }
        if (address.equals("/policy")) {
            page.locator("textarea").fill("cd web && git push --force; rm -rf build");
            page.getByText("Check", new Page.GetByTextOptions().setExact(true)).click();
            assertThat(page.locator(".verdict")).isVisible();
        }
        return page;
    }

    private static String name(String address) {
        return address.equals("/") ? "tasks" : address.replaceAll("\\W+", "-").replaceAll("^-", "");
    }

    /** By day, by night, and on a telephone: the page stays, as for who turns the light out or the window smaller. */
    @ParameterizedTest
    @ValueSource(strings = {"/", "/?status=all", "/approvals", "/policy", "/audit"})
    void readsWellForWhoListensAndOn400Pixels(String address) {
        Page page = open(address);
        for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            show(page, scheme);
            looksWell(page, name(address) + "-" + scheme.name().toLowerCase(Locale.ROOT));
        }
        show(page, ColorScheme.LIGHT);
        page.setViewportSize(400, 800);
        page.waitForCondition(() -> (Boolean) page.evaluate("innerWidth === 400"));
        looksWell(page, name(address) + "-narrow");
        assertThat(page.evaluate("document.documentElement.scrollWidth")).isEqualTo(400);
    }

    private static void show(Page page, ColorScheme scheme) {
        page.emulateMedia(new EmulateMediaOptions()
                .setColorScheme(scheme)
                .setReducedMotion(ReducedMotion.REDUCE)); // else colours may be on their way
    }

    private static void looksWell(Page page, String name) {
        Chromium.picture(page, name);
        assertThat(Chromium.hindrances(page)).as(name).isEmpty();
    }

    @Test
    void allCanBeReachedWithTheTabKeyAndTheFocusIsSeen() {
        Page page = open("/");
        page.keyboard().press("Tab");
        assertThat(page.locator(":focus")).hasText("Skip to the page");
        for (String next : List.of("Holdfast", "Tasks", "Approvals", "Policy", "Audit")) {
            page.keyboard().press("Tab");
            assertThat(page.locator(":focus")).containsText(next);
            assertThat(page.evaluate("getComputedStyle(document.activeElement).outlineStyle"))
                    .isEqualTo("solid");
        }
        page.locator(".command").first().focus();
        page.keyboard().press("Enter");
        assertThat(page.locator("main:focus")).hasCount(1);
    }
}
