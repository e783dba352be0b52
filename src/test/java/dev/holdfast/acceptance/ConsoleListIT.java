package dev.holdfast.acceptance;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The list of tasks, as a person sees it. */
class ConsoleListIT {
    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer();

    @RegisterExtension
    static final Chromium CHROMIUM = new Chromium();

    private final Calls http = SERVER.calls();

    @Test
    void aTaskIsInTheListAndHasItsPage() {
        http.start("sleep 600");

        Page page = CHROMIUM.signedIn(SERVER);
        page.navigate("/");
        page.getByText("sleep 600").click();

        assertThat(page.locator("h1")).hasText("sleep 600");
        Chromium.picture(page, "task");
    }
}
