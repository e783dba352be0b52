package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.inBackground;
import static dev.holdfast.runtime.RuntimeFixture.sh;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.start.BatchAnswer;
import dev.holdfast.runtime.start.BatchAnswer.Item;
import dev.holdfast.runtime.start.BatchAnswer.Status;
import dev.holdfast.runtime.start.BatchRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A token that is removed opens nothing new, also in the midst of a batch that nobody cuts short. */
@Timeout(60)
class RemovedTokensTest {
    private static final String SHA_256 = "a".repeat(64);

    @TempDir
    Path dataDir;

    private RuntimeFixture runtime;

    @BeforeEach
    void open() throws IOException {
        tokens("tokens: [{name: ci, role: agent, sha256: " + SHA_256 + "}]\n");
        runtime = new RuntimeFixture(dataDir);
        runtime.actor = new Actor("ci", Role.AGENT, Map.of(), Mode.OPEN, null);
    }

    @AfterEach
    void close() {
        runtime.close();
    }

    private void tokens(String text) throws IOException {
        Files.writeString(dataDir.resolve("tokens.yaml"), text);
    }

    /** From this moment on. */
    private void now(String text) throws IOException {
        tokens(text);
        assertThat(runtime.tokens.all()).hasSizeLessThan(2);
    }

    /** Of three, while the first of them runs. */
    private CompletableFuture<BatchAnswer> batch() {
        var request = new BatchRequest(
                List.of(sh("a", RuntimeFixture.LONG), sh("b", RuntimeFixture.LONG), sh("c", RuntimeFixture.LONG)),
                false);
        return inBackground(() -> new Patience().during(() -> runtime.batches.run(request)));
    }

    private List<Status> after(CompletableFuture<BatchAnswer> batch, FakeCommand first) throws Exception {
        first.exits(0);
        return batch.get(20, SECONDS).items().stream().map(Item::status).toList();
    }

    @Test
    void theRestOfItsBatchIsSkipped() throws Exception {
        for (String now : List.of(
                "tokens: []\n",
                "tokens: [{name: ci, role: observer, sha256: " + SHA_256 + "}]\n",
                "tokens: [{name: ci, role: agent, mode: plan, sha256: " + SHA_256 + "}]\n")) {
            now("tokens: [{name: ci, role: agent, sha256: " + SHA_256 + "}]\n");
            var batch = batch();
            FakeCommand first = runtime.host.next();
            now(now);

            assertThat(after(batch, first)).as(now).containsExactly(Status.COMPLETED, Status.SKIPPED, Status.SKIPPED);
        }
    }

    @Test
    void oneThatStaysRunsToItsEnd() throws Exception {
        var batch = batch();
        FakeCommand first = runtime.host.next();
        now("tokens: [{name: ci, role: agent, sha256: " + "b".repeat(64) + "}]\n"); // replaced by a fresh one
        first.exits(0);
        runtime.host.next().exits(0);
        runtime.host.next().exits(0);

        assertThat(after(batch, first)).containsOnly(Status.COMPLETED).hasSize(3);
    }
}
