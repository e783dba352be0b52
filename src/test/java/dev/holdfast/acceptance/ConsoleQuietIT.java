package dev.holdfast.acceptance;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Page;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** No page breaks its own content security policy, asks for what is not there, or for more than anybody may. */
class ConsoleQuietIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    @RegisterExtension
    static final Chromium CHROMIUM = new Chromium();

    private final Calls http = SERVER.calls();

    /** The errors on the browser's console, and the addresses that are answered with an error. */
    private static List<String> complaints(Page page) {
        List<String> complaints = new CopyOnWriteArrayList<>();
        page.onConsoleMessage(message -> {
            if (message.type().equals("error")) { // a warning is a hint of the browser's to who writes a library
                complaints.add(message.text());
            }
        });
        page.onPageError(complaints::add);
        page.onResponse(answer -> {
            if (answer.status() >= 400) {
                complaints.add(answer.status() + " " + answer.url());
            }
        });
        return complaints;
    }

    @Test
    void noPageComplains() {
        String printed = http.start("printf '\\033[1;31mred\\033[38;5;208m orange\\033[48;2;1;2;3m own\\n'; sleep 600");
        String terminal = http.start("printf '\\033[44mblue\\033[0m '; exec cat", "tty", true);
        Page page =
                CHROMIUM.page(new NewContextOptions().setBaseURL(SERVER.uri("").toString()));
        List<String> complaints = complaints(page);
        Set<String> asked = new ConcurrentSkipListSet<>();
        page.onRequest(request ->
                asked.add(request.method() + " " + URI.create(request.url()).getPath()));
        page.navigate("/#key=" + http.post("/v1/console/keys", Map.of()).text("/key"));
        assertThat(page.locator(".connection")).hasText("Live");
        for (String address : List.of("/", "/?status=all", "/approvals", "/policy", "/audit")) {
            page.navigate(address);
            assertThat(page.locator(".connection")).hasText("Live");
            assertThat(page.locator("h1")).isVisible();
        }
        page.navigate("/tasks/" + printed);
        assertThat(page.locator(".log")).containsText("orange own");
        page.navigate("/tasks/" + printed + "," + terminal);
        assertThat(page.locator(".column")).hasCount(2);
        page.navigate("/tasks/" + terminal);
        assertThat(page.getByText("ctrl-] leaves it")).isVisible();
        page.getByText("Fit to this page").click();
        page.getByText("For screen readers").click();
        assertThat(page.locator(".xterm-accessibility")).containsText("blue");
        assertThat(complaints).isEmpty();
        assertThat(asked).contains("GET /v1/tasks/" + terminal, "GET /v1/approvals", "GET /v1/audit");
        List<Pattern> described = described();
        assertThat(asked)
                .filteredOn(request -> request.matches("\\w+ /(v1|q)/.*"))
                .as("in the public description")
                .allMatch(request -> described.stream()
                        .anyMatch(known -> known.matcher(request).matches()));
    }

    /** {@code GET /v1/tasks/[^/]+} and all the others. */
    private List<Pattern> described() {
        JsonNode paths = http.get("/q/openapi?format=json").json().path("paths");
        return paths.properties().stream()
                .flatMap(path -> path.getValue().properties().stream()
                        .map(method -> method.getKey().toUpperCase(Locale.ROOT) + " "
                                + path.getKey().replaceAll("\\{\\w+}", "[^/]+")))
                .map(Pattern::compile)
                .toList();
    }

    /** Who has no session is told so by a 401, which is no complaint. */
    @Test
    void norDoesTheDoor() {
        Page page =
                CHROMIUM.page(new NewContextOptions().setBaseURL(SERVER.uri("").toString()));
        List<String> complaints = complaints(page);
        page.navigate("/");
        assertThat(page.locator(".door")).isVisible();
        assertThat(complaints).allMatch(complaint -> complaint.contains("401"));
    }
}
