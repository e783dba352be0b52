package dev.holdfast.acceptance;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Approvals, the policy and the journal, as a person sees them. */
class ConsoleApprovalsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    @RegisterExtension
    static final Chromium CHROMIUM = new Chromium();

    private final Calls http = SERVER.calls();

    @BeforeAll
    static void rules() throws IOException {
        Files.writeString(SERVER.data().resolve("policy.yaml"), """
                version: 1
                rules:
                  - id: files
                    match: {executable: [touch, mkdir, mkfifo]}
                    decision: ask
                    reason: New files go through a person.
                """);
        await().atMost(Calls.PATIENCE)
                .until(() -> SERVER.calls()
                        .post("/v1/policy/check", Json.object("cmd", "touch x"))
                        .text("/decision")
                        .equals("ask"));
    }

    private String ask(String cmd) {
        return http.run(cmd, "yield_time_ms", 0).hasStatus(202).text("/approval_id");
    }

    private JsonNode approval(String id) {
        return http.get("/v1/approvals/" + id).hasStatus(200).json();
    }

    private void awaitState(String id, String state) {
        await().atMost(Calls.PATIENCE)
                .until(() -> approval(id).path("state").asText().equals(state));
    }

    /** It is allowed a moment before it has begun. */
    private String awaitTask(String id) {
        return await().atMost(Calls.PATIENCE)
                .until(() -> approval(id).path("task_id"), JsonNode::isTextual)
                .asText();
    }

    private static Locator card(Page page, String command) {
        return page.locator(".ask").filter(new Locator.FilterOptions().setHasText(command));
    }

    private Page open(String address) {
        return CHROMIUM.open(SERVER, address);
    }

    @Test
    void whatWaitsIsCountedShownAndAllowedByAKey() {
        Page page = open("/approvals");
        String id = ask("cd . && touch by-key && echo made");

        Locator card = card(page, "by-key");
        assertThat(card.locator("mark")).hasText("touch by-key");
        assertThat(card).containsText("New files go through a person.");
        assertThat(card).containsText(SERVER.workspace().toString());
        assertThat(card).containsText(Pattern.compile("Expires in\\s*23 h \\d+ min"));
        assertThat(page.locator("nav [role=status]")).hasText("1 waiting for an answer");
        assertThat(card.getByText("Always")).hasCount(0);

        card.focus();
        page.keyboard().press("A"); // no pattern is safe for it
        page.keyboard().press("a");

        assertThat(card).containsText("Allowed by operator.");
        assertThat(page.locator("header .count")).hasCount(0);
        awaitState(id, "allowed");
        http.awaitEnd(awaitTask(id));
        card.getByText("Its task").click();
        assertThat(page).hasURL(Pattern.compile(".*/tasks/task_.*"));
    }

    /** Nothing is allowed by a key whose end was not on the screen. */
    @Test
    void aLongCommandIsShownWholeBeforeItIsAllowed() {
        Page page = open("/approvals");
        String id = ask("touch long-one\n" + "echo a line of it\n".repeat(60) + "touch the-very-end");
        Locator card = card(page, "long-one");
        assertThat(card).containsText("62 lines, ");
        assertThat(card.locator("mark")).hasText(new String[] {"touch long-one", "touch the-very-end"});
        assertThat((Boolean) card.locator(".command-text").evaluate("text => text.scrollHeight <= text.clientHeight"))
                .isTrue();

        card.focus();
        page.evaluate("scrollTo(0, 0)");
        page.keyboard().press("a");
        page.waitForCondition(() -> (Boolean) page.evaluate("scrollY > 0"));
        assertThat(approval(id).path("state").asText()).isEqualTo("pending");

        for (int i = 0; i < 10; i++) {
            page.keyboard().press("a");
        }
        assertThat(card).containsText("Allowed by operator.");
        assertThat(card.locator("mark")).hasText(new String[] {"touch long-one", "touch the-very-end"});
    }

    /** What is typed goes to no other question. */
    @Test
    void aReasonIsWrittenToItsEndWhenSomebodyElseAnswers() {
        Page page = open("/approvals");
        String id = ask("touch answered-elsewhere");
        Locator card = card(page, "answered-elsewhere");
        card.focus();
        page.keyboard().press("d");
        page.keyboard().type("by");
        http.post("/v1/approvals/" + id, Json.object("decision", "allow")).hasStatus(200);
        assertThat(card).containsText("Allowed by operator.");

        page.keyboard().type(" a rule");
        assertThat(card.locator("input")).hasValue("by a rule");
        page.keyboard().press("Enter");
        assertThat(page.locator("#messages")).containsText("is allowed already");
        assertThat(page.locator("#messages")).not().containsText("/v1/");
        assertThat(card.locator("input")).hasCount(0);
    }

    /** What a refusal names may be another's text. */
    @Test
    void aMessageWritesOutWhatWouldTurnItsTextAround() {
        Page page = open("/policy");
        page.locator("textarea").fill("ls");
        page.locator("[name=workdir]").fill("no\u202esuch");
        page.locator("button.strong").click();
        assertThat(page.locator("#messages")).containsText("no⟨202E⟩such does not exist");
    }

    @Test
    void aDenialHasAReason() {
        Page page = open("/approvals");
        String id = ask("touch denied");
        card(page, "denied").focus();

        page.keyboard().press("d");
        page.keyboard().type("Use the build folder, always.");
        page.keyboard().press("Enter");

        assertThat(card(page, "denied")).containsText("Denied by operator. Use the build folder, always.");
        assertThat(approval(id).path("decision_reason").asText()).isEqualTo("Use the build folder, always.");
    }

    @Test
    void whatWasAnsweredBeforeIsShownBelowWhatWaits() {
        String denied = ask("touch before-1");
        String allowed = ask("touch before-2");
        http.post("/v1/approvals/" + denied, Json.object("decision", "deny", "reason", "Not here."))
                .hasStatus(200);
        http.post("/v1/approvals/" + allowed, Json.object("decision", "allow")).hasStatus(200);
        String still = ask("touch waits-still");
        Page page = open("/approvals");
        Locator past = page.locator(".past li");
        assertThat(past.filter(new Locator.FilterOptions().setHasText("before-1")))
                .containsText("Denied by operator. Not here.");
        assertThat(past.filter(new Locator.FilterOptions().setHasText("before-2")))
                .containsText("Allowed by operator.");
        assertThat(card(page, "before-")).hasCount(0);

        card(page, "waits-still").focus();
        page.keyboard().press("a");
        assertThat(card(page, "waits-still")).containsText("Allowed by operator.");
        awaitTask(still); // what was answered before is read once
        page.reload();
        assertThat(past.first()).containsText("touch waits-still");
        assertThat(past.first().getByText("Its task")).isVisible();
    }

    /** It is no task while its caller waits. */
    @Test
    void whatWasAllowedBeforeGetsItsTask() throws IOException {
        String id = allowedWhileItsCallerWaits("task-comes");
        Page page = open("/approvals");
        Locator answered = answered(page, "task-comes");
        assertThat(answered).containsText("Allowed by operator.");
        assertThat(answered.getByText("Its task")).hasCount(0);

        Files.createFile(SERVER.workspace().resolve("task-comes-now"));

        assertThat(answered.getByText("Its task")).hasAttribute("href", "/tasks/" + awaitTask(id));
    }

    /** No event tells that to a page that is not connected yet. */
    @Test
    void whatBecomesATaskBeforeThePageIsConnectedHasItToo() throws IOException {
        String id = allowedWhileItsCallerWaits("task-came");
        Page page = CHROMIUM.signedIn(SERVER);
        CompletableFuture<Route> events = new CompletableFuture<>();
        page.route("**/v1/events", events::complete);
        page.navigate("/approvals");
        page.waitForCondition(events::isDone);

        Files.createFile(SERVER.workspace().resolve("task-came-now"));
        String task = awaitTask(id);
        events.join().resume();

        assertThat(page.locator(".connection")).hasText("Live");
        assertThat(answered(page, "task-came").getByText("Its task")).hasAttribute("href", "/tasks/" + task);
    }

    /** It becomes a task once the file of that name and {@code -now} is there. */
    private String allowedWhileItsCallerWaits(String name) {
        var _ = CompletableFuture.runAsync(() -> http.run(
                "touch " + name + "; until [ -e " + name + "-now ]; do sleep 0.2; done; echo ready; sleep 600",
                "yield_time_ms",
                600_000,
                "yield_when",
                Json.object("output_matches", "ready")));
        String id = await().atMost(Calls.PATIENCE)
                .until(
                        () -> http.get("/v1/approvals").at("/approvals/0"),
                        newest -> newest.path("cmd").asText().startsWith("touch " + name))
                .path("approval_id")
                .asText();
        http.post("/v1/approvals/" + id, Json.object("decision", "allow")).hasStatus(200);
        return id;
    }

    private static Locator answered(Page page, String command) {
        return page.locator(".past li").filter(new Locator.FilterOptions().setHasText(command));
    }

    @Test
    void allWordsThatDecidedAreMarked() {
        String id = ask("touch word-1 && ls && mkdir -p word-2; touch 'word  3'");
        Page page = open("/approvals");
        Locator card = card(page, "word-1");
        assertThat(card.locator("mark")).hasText(new String[] {"touch word-1", "mkdir -p word-2", "touch 'word  3'"});

        http.post("/v1/approvals/" + id, Json.object("decision", "deny")).hasStatus(200);

        page.navigate("/policy");
        page.locator("textarea").fill("touch word-1 && ls && mkdir -p word-2");
        page.keyboard().press("Control+Enter");
        assertThat(page.locator(".verdict mark")).hasText(new String[] {"touch word-1", "mkdir -p word-2"});
    }

    @Test
    void forTheSessionIsAKeyToo() {
        Page page = open("/approvals");
        ask("mkfifo for-session"); // for which none of the classes that follow on this server has a rule
        card(page, "for-session").focus();
        page.keyboard().press("s");
        assertThat(card(page, "for-session")).containsText("Allowed by operator.");
        // The one that was allowed may run yet.
        http.run("mkfifo for-session", "duplicate_policy", "start_new").completed();
    }

    /** No key meets another command than the one that has the focus. */
    @Test
    void whatSomebodyElseAnsweredKeepsItsPlaceAndSaysSo() {
        String first = ask("touch race-1");
        String second = ask("touch race-2");
        Page page = open("/approvals");
        card(page, "race-1").focus();
        double top = card(page, "race-2").boundingBox().y;

        http.post("/v1/approvals/" + first, Json.object("decision", "deny", "reason", "Too late."))
                .hasStatus(200);
        assertThat(card(page, "race-1")).containsText("Denied by operator. Too late.");
        page.keyboard().press("a");
        page.keyboard().press("a");

        assertThat(card(page, "race-2").getByText("Allow once")).isVisible();
        assertThat(approval(second).path("state").asText()).isEqualTo("pending");
        assertThat(card(page, "race-2").boundingBox().y).isLessThanOrEqualTo(top);
    }

    @Test
    void theWordsThatWouldDecideAreSaidOfAnyCommand() {
        Page page = open("/policy");
        page.locator("textarea").fill("cd web && touch it; ls");
        page.keyboard().press("Control+Enter");
        assertThat(page.locator(".verdict h2")).hasText("A person is asked");
        assertThat(page.locator(".verdict mark")).hasText("touch it");
        assertThat(page.locator(".verdict tbody tr")).hasCount(3);

        page.locator("textarea").fill("rm -rf /");
        page.keyboard().press("Control+Enter");
        assertThat(page.locator(".verdict h2")).hasText("It is denied");
        assertThat(page.locator(".verdict")).containsText("builtin.rm-root");
    }

    @Test
    void whatWasTriedIsThereAgainForWhoComesBack() {
        Page page = open("/policy");
        page.locator("textarea").fill("touch back");
        page.locator("[name=workdir]").fill("/tmp");
        page.locator("select").selectOption("stop");
        page.locator("button.strong").click();
        String said = page.locator(".verdict h2").textContent();
        page.locator("nav").getByText("Audit").click();
        assertThat(page.locator("h1")).hasText("Audit");

        page.goBack();
        assertThat(page.locator("textarea")).hasValue("touch back");
        assertThat(page.locator("[name=workdir]")).hasValue("/tmp");
        assertThat(page.locator("select")).hasValue("stop");
        assertThat(page.locator(".verdict h2")).hasText(said);
    }

    @Test
    void aPolicyFileThatIsBrokenIsToldWhereOneTriesIt() throws IOException {
        Page page = open("/policy");
        Files.writeString(SERVER.data().resolve("policy.yaml"), "version: 1\nmode: none\n");
        await().atMost(Calls.PATIENCE).until(() -> http.get("/q/health/well").status() == 503);
        page.locator("textarea").fill("touch it");
        page.keyboard().press("Control+Enter");
        assertThat(page.locator(".flaw")).containsText("line 2");
        assertThat(page.locator(".verdict h2")).hasText("A person is asked");

        rules();
        await().atMost(Calls.PATIENCE).until(() -> http.get("/q/health/well").status() == 200);
        page.keyboard().press("Control+Enter");
        assertThat(page.locator(".flaw")).hasCount(0);
    }

    @Test
    void theJournalIsReadFromItsEndAndFollowed() {
        for (int i = 0; i < 60; i++) {
            http.run("true # journal " + i).completed();
        }
        Page page = open("/audit");
        Locator first = page.locator(".journal tbody tr").first();
        assertThat(first).containsText("true # journal 59");
        assertThat(page.locator(".journal tbody tr")).hasCount(100);

        page.getByText("Show older ones").click();
        assertThat(page.getByText("true # journal 0", new Page.GetByTextOptions().setExact(true))
                        .first())
                .isVisible();
        page.evaluate("scrollTo(0, 0)");

        String id = http.start("sleep 600 # followed");
        assertThat(first).containsText("sleep 600 # followed");
        page.locator("a[aria-label='only this: " + id + "']").first().click();
        assertThat(page.locator(".journal tbody tr")).hasCount(2);
        http.stop(id);
        assertThat(page.locator(".journal tbody tr").first()).containsText("end");
    }

    @Test
    void anObserverReadsWhatIsAskedAndHasNothingToAnswerOrToStopWith() throws Exception {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest("of-reader".getBytes(StandardCharsets.UTF_8));
        Files.writeString(
                SERVER.data().resolve("tokens.yaml"),
                "tokens:\n  - {name: reader, role: observer, sha256: "
                        + HexFormat.of().formatHex(hash) + "}\n");
        PackagedServer asReader = SERVER.calledWith("of-reader");
        await().atMost(Calls.PATIENCE)
                .until(() -> asReader.calls().get("/v1/tasks").status() == 200);
        http.start("sleep 600 # watched");
        String id = ask("touch only-read");
        Page page = CHROMIUM.signedIn(asReader);

        page.navigate("/approvals");
        assertThat(card(page, "only-read")).containsText("An operator answers it.");
        assertThat(page.locator(".asks button")).hasCount(0);
        card(page, "only-read").focus();
        page.keyboard().press("a");
        page.keyboard().press("d");
        assertThat(page.locator("main input")).hasCount(0);

        page.navigate("/?q=watched");
        assertThat(page.locator(".row")).hasCount(1);
        assertThat(page.locator(".row button")).hasCount(0);
        page.locator(".command").focus();
        page.keyboard().press("s");
        assertThat(page.locator("dialog")).hasCount(0);
        assertThat(approval(id).path("state").asText()).isEqualTo("pending");
        http.post("/v1/approvals/" + id, Json.object("decision", "deny")).hasStatus(200);
    }
}
