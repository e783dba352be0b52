package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.LONG;
import static dev.holdfast.runtime.RuntimeFixture.request;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.start.StartRequest.DuplicatePolicy;
import dev.holdfast.runtime.start.StartRequest.YieldWhen;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.CommandAnswer.Completed;
import dev.holdfast.task.EndedBy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A limit holds although a look at it, or the stop that it brings about, has failed. */
class LimitsTest {
    private static final Duration SHORT = Duration.ofMillis(50);

    @TempDir
    Path dataDir;

    @AutoClose
    private RuntimeFixture runtime;

    @BeforeEach
    void open() {
        runtime = new RuntimeFixture(dataDir);
    }

    @ParameterizedTest
    @CsvSource({"facts,true", "stop,true", "stop,false"})
    void oneFailureDoesNotEndTheWatch(String step, boolean silence) throws Exception {
        runtime.steps.fail(step);

        var answer = start(silence ? SHORT : null, silence ? null : SHORT);

        assertThat(completed(answer).ending().endedBy()).isEqualTo(silence ? EndedBy.IDLE_TIMEOUT : EndedBy.TIMEOUT);
    }

    /** The governor says so once. */
    @Test
    void anOutputLimitWhoseStopFailsIsTriedAgain() throws Exception {
        var answer = start(null, null);
        FakeCommand command = runtime.host.next();
        runtime.steps.fail("stop");
        OutputStore.Writer writer = runtime.outputs.awaitGoverned(command.id());

        writer.limit();

        assertThat(completed(answer).ending().endedBy()).isEqualTo(EndedBy.OUTPUT_LIMIT);
    }

    private CompletableFuture<CommandAnswer> start(@Nullable Duration idle, @Nullable Duration timeout) {
        return runtime.start(request("a", DuplicatePolicy.START_NEW, LONG, YieldWhen.NONE, idle, timeout));
    }

    private static Completed completed(CompletableFuture<CommandAnswer> answer) throws Exception {
        return (Completed) answer.get(20, SECONDS);
    }
}
