package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.output.OutputFiles;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Exit;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.Signal;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits of real processes under a clock that is set meanwhile, by an hour back or on. */
class DeadlinesTest {
    private static final TaskId ID = new TaskId("task_01JZZZZZZZZZZZZZZZZZZZZZZZ");
    private static final Duration LIMIT = Duration.ofMillis(1500);

    @TempDir
    Path dataDir;

    private final KernelEvents events = new KernelEvents();
    private volatile Duration set = Duration.ZERO;
    private OutputFiles outputs;
    private Deadlines deadlines;
    private Path out;

    @Nullable
    private Process process;

    @BeforeEach
    void open() throws IOException {
        Path folder = Files.createDirectories(TaskFolder.of(dataDir, ID).path());
        out = Files.createFile(folder.resolve("out"));
        outputs = new OutputFiles(dataDir, events, 1 << 20, 0);
        deadlines =
                new Deadlines(outputs, new Causes(dataDir), () -> Instant.now().plus(set));
    }

    @AfterEach
    void close() {
        if (process != null) {
            process.destroyForcibly();
        }
        deadlines.close();
        outputs.close();
        events.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1})
    void aTimeoutIsCountedFromTheRealStart(int hours) throws Exception {
        LiveCommand command = start("exec sleep 60", LIMIT, null);
        set = Duration.ofHours(hours);

        Duration took = awaitLimit(command, EndedBy.TIMEOUT);

        assertThat(took).isBetween(LIMIT, LIMIT.multipliedBy(3));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1})
    void silenceIsCountedFromTheLastOutput(int hours) throws Exception {
        LiveCommand command = start("sleep 1; echo still here; exec sleep 60", null, LIMIT);
        await().until(() -> Files.size(out) > 0);
        set = Duration.ofHours(hours);

        Duration took = awaitLimit(command, EndedBy.IDLE_TIMEOUT);

        // A file's time is that of the kernel's last tick, up to 10 ms ago.
        assertThat(took).isGreaterThanOrEqualTo(LIMIT.plusSeconds(1).minusMillis(10));
        assertThat(took).isLessThan(LIMIT.multipliedBy(4));
    }

    /** The mark is the one that the floor of free space leaves. */
    @Test
    void aCommandThatIsHeldStillIsNotSilent() throws Exception {
        Path mark = Files.createFile(TaskFolder.of(dataDir, ID).paused());
        LiveCommand command = start("exec sleep 60", null, LIMIT);
        await().atMost(LIMIT.multipliedBy(3)).during(LIMIT.multipliedBy(2)).until(() -> command.limit() == null);
        Files.delete(mark);

        // A pause is looked at every 200 ms: so much of it may count.
        Duration least = LIMIT.multipliedBy(3).minusMillis(200);
        assertThat(awaitLimit(command, EndedBy.IDLE_TIMEOUT)).isBetween(least, LIMIT.multipliedBy(6));
    }

    /** With a server that takes the command over: what passed before counts. */
    @Test
    void aTimeoutGoesOnAfterAnAdoption() throws Exception {
        LiveCommand first = start("exec sleep 60", LIMIT, null);
        await().until(() -> first.hosted().join().age().compareTo(Duration.ofSeconds(1)) > 0);
        deadlines.close();
        set = Duration.ofHours(-1);
        deadlines =
                new Deadlines(outputs, new Causes(dataDir), () -> Instant.now().plus(set));
        LiveCommand adopted = new LiveCommand(first.launch(), first.task());
        adopted.hosted().complete(first.hosted().join());
        deadlines.arm(adopted, first.hosted().join());

        assertThat(awaitLimit(adopted, EndedBy.TIMEOUT)).isBetween(LIMIT, LIMIT.multipliedBy(2));
    }

    private LiveCommand start(String cmd, @Nullable Duration timeout, @Nullable Duration idle) throws IOException {
        CommandSpec spec = new CommandSpec(
                new Invocation.ShellText(cmd, "/bin/sh", false),
                dataDir,
                null,
                false,
                List.of(),
                timeout,
                idle,
                OnExit.LEAVE,
                Map.of());
        Launch launch = new Launch(ID, spec, Map.of(), Instant.now(), "key", null);
        LiveCommand command = new LiveCommand(launch, Task.queued(ID, spec, Instant.now()));
        Process started = new ProcessBuilder("sh", "-c", cmd)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        TaskFolder.of(dataDir, ID).output(StreamName.STDOUT).toFile()))
                .start();
        process = started;
        Running running = new Running(started, System.nanoTime());
        command.hosted().complete(running);
        deadlines.arm(command, running);
        return command;
    }

    /** How old the command was when its limit ended it. */
    private static Duration awaitLimit(LiveCommand command, EndedBy limit) throws Exception {
        command.hosted().join().exit().get(20, TimeUnit.SECONDS);
        assertThat(command.limit()).isEqualTo(limit);
        return command.hosted().join().age();
    }

    /** A process without a launcher: what limits need of a command. */
    private record Running(Process real, long startedAt, CompletableFuture<Exit> exit) implements HostedCommand {
        Running(Process real, long startedAt) {
            this(real, startedAt, real.onExit().thenApply(ended -> new Exit.Code(ended.exitValue() & 0xff)));
        }

        @Override
        public TaskId id() {
            return ID;
        }

        @Override
        public Duration age() {
            return Duration.ofNanos(System.nanoTime() - startedAt);
        }

        @Override
        public List<Long> stop(Duration grace) {
            real.destroy();
            real.onExit().join();
            return List.of();
        }

        @Override
        public @Nullable ProcessIdentity process() {
            throw unused();
        }

        @Override
        public int write(byte[] bytes, boolean endOfInput, Duration limit) {
            throw unused();
        }

        @Override
        public boolean inputEnded() {
            throw unused();
        }

        @Override
        public void resize(TerminalSize size) {
            throw unused();
        }

        @Override
        public void signal(Signal signal) {
            throw unused();
        }

        @Override
        public boolean listensOn(int port) {
            throw unused();
        }

        @Override
        public Map<String, String> endingDetails() {
            return Map.of();
        }

        @Override
        public ProcessFacts facts() {
            throw unused();
        }

        @Override
        public @Nullable TerminalLink openTerminal(TerminalListener listener) {
            throw unused();
        }

        private static UnsupportedOperationException unused() {
            return new UnsupportedOperationException("limits do not ask for this");
        }
    }
}
