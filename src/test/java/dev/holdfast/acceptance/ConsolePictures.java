package dev.holdfast.acceptance;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Page.EmulateMediaOptions;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The two pictures of the README, of a server on a busy afternoon; no part of {@code verify}. To make them again:
 * {@code ./mvnw verify -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false -Dit.test=ConsolePictures}, and copy
 * {@code readme-list.png} and {@code readme-task.png} of {@code target/pictures/} to {@code src/docs/pictures/}. What
 * runs is played by small scripts.
 */
class ConsolePictures {
    private static final int WIDTH = 1200;
    private static final int PORT = PackagedServer.freePort();

    /** Programs by their names; what they print after {@code until} they print under an open page. */
    private static final Map<String, String> PROGRAMS =
            Map.of("npm", """
            printf '\\n  VITE v5.4.8  ready in 412 ms\\n\\n  Local:   http://localhost:%s/\\n' PORT
            python3 -m http.server PORT --bind 127.0.0.1 > /dev/null 2>&1 &
            until [ -e go ]; do sleep 0.2; done
            echo '14:02:11 [vite] hmr update /src/cart/Total.vue'
            wait""", "cargo", """
            printf '   \\033[1;32mCompiling\\033[0m shop-core v0.3.1\\n   \\033[1;32mCompiling\\033[0m shop-api v0.3.1\\n' >&2
            until [ -e go ]; do sleep 0.2; done
            printf '\\033[1;31merror[E0308]\\033[0m: mismatched types: expected `Cents`, found `f64`\\n' >&2
            exit 101""", "mvn", """
            info() { printf '[\\033[1;34mINFO\\033[0m] %s\\n' "$*"; }
            info Scanning for projects...
            info Building shop 2.7.0
            info
            info '--- surefire:3.5.1:test (default-test) @ shop ---'
            info 'Using auto detected provider org.junit.platform'
            for one in AddressTest BasketTest CatalogueTest CouponTest CurrencyTest CustomerTest DeliveryTest DiscountTest; do
              info "Running dev.shop.$one"
              printf '[\\033[1;34mINFO\\033[0m] \\033[1;32mTests run: %d, Failures: 0\\033[0m, Errors: 0, Skipped: 0, Time elapsed: %d.%d s\\n' \
                ${#one} $((${#one} / 5)) $((${#one} % 7))
            done
            info Running dev.shop.PaymentTest
            printf '[\\033[1;31mERROR\\033[0m] \\033[1;31mTests run: 21, Failures: 1\\033[0m, Errors: 0, Skipped: 0, Time elapsed: 4.2 s \\033[1;31m<<< FAILURE!\\033[0m\\n'
            printf '[\\033[1;31mERROR\\033[0m] PaymentTest.roundsToCents:88 expected: \\033[32m<19.99>\\033[0m but was: \\033[31m<19.98>\\033[0m\\n'
            until [ -e go ]; do sleep 0.2; done
            info Running dev.shop.checkout.EndToEndTest
            until [ -e warn ]; do sleep 0.2; done
            printf 'SLF4J: No provider was found for logging: falling back to one that does nothing\\n' >&2
            until [ -e on ]; do sleep 0.2; done
            info Running dev.shop.checkout.RefundTest
            exec sleep 600""", "pytest", """
            printf '.....................F.................................. [ 37%%]\\n'
            until [ -e go ]; do sleep 0.2; done
            printf '........................................................ [ 74%%]\\n'
            exec sleep 600""", "docker", """
            echo 'postgres-1  | LOG:  database system is ready to accept connections'
            exec sleep 600""");

    /** Before what else has such names, for all that the server starts. */
    private static final Path FOLDER = Path.of("target", "picture-programs").toAbsolutePath();

    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer().with("PATH", FOLDER + ":" + System.getenv("PATH"));

    @RegisterExtension
    static final Chromium CHROMIUM = new Chromium();

    private static final Calls HTTP = SERVER.calls();

    @BeforeAll
    static void programs() throws IOException {
        Files.createDirectories(FOLDER);
        for (Map.Entry<String, String> program : PROGRAMS.entrySet()) {
            Path file = FOLDER.resolve(program.getKey());
            Files.writeString(file, "#!/bin/bash\n" + program.getValue().replace("PORT", Integer.toString(PORT)));
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        }
        Files.writeString(SERVER.data().resolve("policy.yaml"), """
                version: 1
                rules:
                  - {id: deploys, match: {executable: [kubectl]}, decision: ask, reason: Deploys go through a person.}
                """);
        await().atMost(Calls.PATIENCE)
                .until(() -> HTTP.post("/v1/policy/check", Json.object("cmd", "kubectl"))
                        .text("/decision")
                        .equals("ask"));
    }

    private static Locator row(Page page, String command) {
        return page.locator(".row").filter(new Locator.FilterOptions().setHasText(command));
    }

    @Test
    void aListAndATask() throws IOException {
        HTTP.start("docker compose up postgres redis", "labels", Json.object("team", "shop"));
        HTTP.start("npm run dev", "labels", Json.object("team", "web"));
        HTTP.start("python3 -q", "tty", true);
        HTTP.start("pytest -q tests/integration");
        HTTP.start("cargo build --release");
        String tests = HTTP.start("mvn -B -ntp verify", "labels", Json.object("team", "shop", "kind", "tests"));
        HTTP.run("kubectl apply -f deploy/production.yaml", "yield_time_ms", 0).hasStatus(202);
        Page page = CHROMIUM.signedIn(SERVER);
        page.emulateMedia(new EmulateMediaOptions().setColorScheme(ColorScheme.LIGHT));
        page.setViewportSize(WIDTH, 460);
        page.navigate("/");
        assertThat(page.locator(".row")).hasCount(6);
        assertThat(page.locator(".port")).hasText(":" + PORT);
        assertThat(page.locator(".mark-input")).isVisible();
        assertThat(page.locator("#frame .count")).isVisible();
        assertThat(row(page, "cargo").locator(".line")).containsText("Compiling");

        Files.createFile(SERVER.workspace().resolve("go"));

        assertThat(row(page, "cargo").locator(".state")).hasText("exit 101");
        assertThat(row(page, "cargo").locator(".line")).containsText("mismatched types");
        assertThat(row(page, "npm").locator(".line")).containsText("hmr update");
        assertThat(row(page, "pytest").locator(".line")).containsText("74%");
        assertThat(row(page, "mvn").locator(".line")).containsText("EndToEndTest");
        Chromium.picture(page, "readme-list");

        page.emulateMedia(new EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
        page.setViewportSize(WIDTH, 600);
        page.navigate("/tasks/" + tests);
        assertThat(page.locator(".log")).containsText("EndToEndTest");
        assertThat(page.locator(".connection")).hasText("Live");
        Files.createFile(SERVER.workspace().resolve("warn"));
        assertThat(page.locator(".log .stderr")).containsText("No provider");
        Files.createFile(SERVER.workspace().resolve("on"));
        assertThat(page.locator(".log")).containsText("RefundTest");
        assertThat(page.locator(".apart")).hasCount(0);
        Chromium.picture(page, "readme-task");
    }
}
