package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.inBackground;
import static dev.holdfast.runtime.RuntimeFixture.sh;
import static dev.holdfast.runtime.RuntimeFixture.soon;
import static java.util.concurrent.TimeUnit.SECONDS;

import com.google.re2j.Pattern;
import dev.holdfast.runtime.wait.WaitAnswer;
import dev.holdfast.runtime.wait.WaitRequest;
import dev.holdfast.runtime.wait.WaitRequest.Condition;
import dev.holdfast.runtime.wait.WaitRequest.Until;
import dev.holdfast.task.StreamName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two commands without processes, and those who wait for what they do. */
@Timeout(180)
abstract class WaitsFixture {
    static final Duration LONG = Duration.ofMinutes(10);
    static final Until END = new Until.End();

    @TempDir
    Path dataDir;

    RuntimeFixture runtime;
    FakeCommand one;
    FakeCommand other;

    @BeforeEach
    void open() {
        runtime = new RuntimeFixture(dataDir);
        one = start("one");
        other = start("other");
    }

    @AfterEach
    void nothingIsLeftWaiting() {
        awaitWaiting(0);
        soon().until(() -> runtime.outputs.watchers(one.id()) + runtime.outputs.watchers(other.id()) == 0);
        runtime.close();
    }

    FakeCommand start(String cmd) {
        runtime.commands.start(sh(cmd, Duration.ZERO), null);
        return runtime.host.next();
    }

    static Condition of(FakeCommand command, Until until) {
        return new Condition(command.id(), until);
    }

    static Until matches(String pattern, @Nullable String cursor) {
        return new Until.OutputMatches(Pattern.compile(pattern, Pattern.MULTILINE), cursor);
    }

    CompletableFuture<WaitAnswer> await(boolean all, Duration timeout, Condition... conditions) {
        WaitRequest request = new WaitRequest(all, List.of(conditions), timeout);
        return inBackground(() -> runtime.conditions.await(request, new CompletableFuture<>()));
    }

    CompletableFuture<WaitAnswer> any(Condition... conditions) {
        return await(false, LONG, conditions);
    }

    CompletableFuture<WaitAnswer> all(Condition... conditions) {
        return await(true, LONG, conditions);
    }

    void awaitWaiting(int conditions) {
        soon().until(() -> runtime.conditions.count() == conditions);
    }

    static WaitAnswer told(CompletableFuture<WaitAnswer> answer) throws Exception {
        return answer.get(20, SECONDS);
    }

    void ended(FakeCommand command) {
        command.exits(0);
        soon().until(() -> runtime.tasks.find(command.id()).status().ended());
    }

    void print(FakeCommand command, StreamName stream, String text) {
        runtime.outputs.write(command.id(), stream, text);
    }
}
