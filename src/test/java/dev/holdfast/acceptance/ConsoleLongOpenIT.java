package dev.holdfast.acceptance;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A page that stays open for days keeps the newest of what it was told, not all of it. */
class ConsoleLongOpenIT {
    private static final int KEPT = 1000;

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    @RegisterExtension
    static final Chromium CHROMIUM = new Chromium();

    private static Page open(String address) {
        return CHROMIUM.open(SERVER, address);
    }

    @Test
    void answeredApprovalsAreDroppedAndTheirCommandsBefore() {
        Page page = open("/");
        Object kept = page.evaluate("""
                most => import('/console/state.js').then(({learnApproval, state}) => {
                    learnApproval({approval_id: 'a', state: 'pending', cmd: 'still asked'});
                    for (let i = 0; i < most + 100; i++) {
                        learnApproval({approval_id: `b${10000 + i}`, state: 'denied', cmd: 'x'.repeat(100)});
                    }
                    const all = [...state.approvals.values()];
                    return [all.length, all.filter(one => one.cmd).map(one => one.cmd).join(), state.approvals.has('b10100'), state.approvals.has('b10099')];
                })""", KEPT);

        assertThat(kept).isEqualTo(List.of(KEPT + 1, "still asked", true, false));
    }

    @Test
    void theTimelineKeepsTheLastOfWhatItHasSeen() {
        Page page = open("/");
        Object kept = page.evaluate("""
                () => import('/console/task/timeline.js').then(({Timeline}) => {
                    const timeline = new Timeline('x');
                    for (let i = 0; i < 1000; i++) {
                        timeline.observe({status: 'running', waiting: i % 2 ? 'input' : 'busy'});
                    }
                    return [timeline.seen.length, timeline.seen.at(-1).text];
                })""");

        assertThat(kept).isEqualTo(List.of(200, "waits for input"));
    }

    @Test
    void theJournalShowsTheLastThousandAndOlderOnesWhenAskedFor() {
        AtomicInteger last = new AtomicInteger(50);
        Page page = CHROMIUM.signedIn(SERVER);
        page.route(Pattern.compile(".*/v1/audit\\?.*"), route -> answer(route, last.get()));
        page.navigate("/audit");
        assertThat(page.locator("tbody tr")).hasCount(50);
        assertThat(page.locator(".more")).hasCount(0);

        last.set(1040);
        assertThat(page.locator("tbody time").first()).hasAttribute("title", Pattern.compile(".*entry 1040$"));

        assertThat(page.locator("tbody tr")).hasCount(KEPT);
        page.getByText("Show older ones").click();
        assertThat(page.locator("tbody tr")).hasCount(1040);
        assertThat(page.locator(".more")).hasCount(0);
    }

    /** A page of a journal that is so long. */
    private static void answer(Route route, int last) {
        String query = URI.create(route.request().url()).getQuery();
        int from = Integer.parseInt(query.replaceFirst(".*cursor=(\\d+).*", "$1"));
        int to = Math.min(last, from + Integer.parseInt(query.replaceFirst(".*limit=(\\d+).*", "$1")));
        var entries = IntStream.rangeClosed(from + 1, to)
                .mapToObj(seq -> Json.object(
                        "seq", seq, "at", "2026-03-01T12:00:00.000Z", "actor", "ci", "action", "input", "bytes", 4))
                .toList();
        route.fulfill(new Route.FulfillOptions()
                .setContentType("application/json")
                .setBody(Json.write(Json.object("entries", entries))));
    }
}
