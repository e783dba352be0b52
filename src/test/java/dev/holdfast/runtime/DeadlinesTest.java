package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.output.OutputFiles;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.Launch;
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
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limits of real processes. */
class DeadlinesTest {
    private static final TaskId ID = new TaskId("task_01JZZZZZZZZZZZZZZZZZZZZZZZ");
    private static final Duration LIMIT = Duration.ofMillis(1500);
    private static final Duration OLD = Duration.ofHours(1);

    @TempDir
    Path dataDir;

    private final KernelEvents events = new KernelEvents();
    private OutputFiles outputs;
    private Deadlines deadlines;
    /** How old each command says to be when its limits begin to be watched. */
    private Duration old = OLD;

    /** Whether somebody reads what it prints. */
    private volatile boolean read = true;

    private Path out;

    @Nullable
    private Process process;

    @BeforeEach
    void open() throws IOException {
        Path folder = Files.createDirectories(TaskFolder.of(dataDir, ID).path());
        out = Files.createFile(folder.resolve("out"));
        outputs = new OutputFiles(dataDir, events, 1 << 20, 0);
        deadlines = deadlines();
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

    @Test
    void aTimeoutIsCountedFromTheRealStart() throws Exception {
        LiveCommand command = start("exec sleep 60", OLD.plus(LIMIT), null);

        assertThat(awaitLimit(command, EndedBy.TIMEOUT)).isGreaterThanOrEqualTo(LIMIT);
    }

    @Test
    void silenceIsCountedFromTheLastOutput() throws Exception {
        old = Duration.ZERO;
        LiveCommand command = start("sleep 1; echo still here; exec sleep 60", null, LIMIT);
        await().until(() -> Files.size(out) > 0);

        assertThat(awaitLimit(command, EndedBy.IDLE_TIMEOUT)).isGreaterThanOrEqualTo(LIMIT.plusSeconds(1));
    }

    /** The mark is the one that the floor of free space leaves. */
    @Test
    void aCommandThatIsHeldStillIsNotSilent() throws Exception {
        Path mark = Files.createFile(TaskFolder.of(dataDir, ID).paused());
        LiveCommand command = start("exec sleep 60", null, LIMIT);
        await().during(LIMIT.multipliedBy(2)).until(() -> command.limit() == null);
        Files.delete(mark);

        // A pause is looked at ten times in the limit, later on a busy machine: some of its end may count.
        Duration least = LIMIT.multipliedBy(2).plus(LIMIT.dividedBy(2));
        assertThat(awaitLimit(command, EndedBy.IDLE_TIMEOUT)).isGreaterThanOrEqualTo(least);
    }

    /** As a keeper is that was stopped: what it prints meanwhile is nowhere to be seen. */
    @Test
    void whoseTerminalNobodyReadsIsNotSilent() throws Exception {
        old = Duration.ZERO;
        read = false;
        LiveCommand command = start("exec sleep 60", null, LIMIT);
        await().during(LIMIT.multipliedBy(2)).until(() -> command.limit() == null);
        read = true;

        assertThat(awaitLimit(command, EndedBy.IDLE_TIMEOUT)).isGreaterThanOrEqualTo(LIMIT.multipliedBy(2));
    }

    /** With a server that takes the command over: what passed before counts. */
    @Test
    void aTimeoutGoesOnAfterAnAdoption() throws Exception {
        LiveCommand first = start("exec sleep 60", OLD.plus(LIMIT), null);
        deadlines.close();
        deadlines = deadlines();
        LiveCommand adopted = adopted(first);

        assertThat(awaitLimit(adopted, EndedBy.TIMEOUT)).isGreaterThanOrEqualTo(LIMIT);
    }

    /** However many servers take it over. */
    @Test
    void silenceGoesOnAfterAnAdoption() throws Exception {
        Duration limit = Duration.ofMinutes(10);
        Files.writeString(out, "begun");
        Files.setLastModifiedTime(out, FileTime.from(Instant.now().minus(limit.minusSeconds(1))));
        LiveCommand first = start("exec sleep 60", null, limit);
        deadlines.close();
        deadlines = deadlines();

        assertThat(awaitLimit(adopted(first), EndedBy.IDLE_TIMEOUT)).isLessThan(limit);
    }

    /** It is as silent as it is old. */
    @Test
    void silenceFromTheStartGoesOnToo() throws Exception {
        LiveCommand command = start("exec sleep 60", null, OLD);

        assertThat(awaitLimit(command, EndedBy.IDLE_TIMEOUT)).isLessThan(OLD);
    }

    private Deadlines deadlines() {
        return new Deadlines(outputs, new RuntimeFixture(dataDir).endings, InstantSource.system());
    }

    private LiveCommand adopted(LiveCommand first) {
        LiveCommand adopted = new LiveCommand(first.launch(), first.task());
        HostedCommand hosted = first.hosted().join();
        adopted.hosted().complete(hosted);
        deadlines.arm(adopted, hosted);
        return adopted;
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
                Map.of(),
                null,
                null);
        Launch launch = new Launch(ID, spec, Map.of(), Instant.now(), "key", null);
        LiveCommand command = new LiveCommand(launch, Task.queued(ID, spec, Instant.now()));
        long begun = System.nanoTime();
        Process started = new ProcessBuilder("sh", "-c", cmd)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        TaskFolder.of(dataDir, ID).output(StreamName.STDOUT).toFile()))
                .start();
        process = started;
        Running running = new Running(started, begun - old.toNanos(), () -> read);
        command.hosted().complete(running);
        deadlines.arm(command, running);
        return command;
    }

    /** How much older the command was when its limit ended it. */
    private Duration awaitLimit(LiveCommand command, EndedBy limit) throws Exception {
        command.hosted().join().exit().get(20, TimeUnit.SECONDS);
        assertThat(command.limit()).isEqualTo(limit);
        return command.hosted().join().age().minus(old);
    }

    /** A process without a launcher: what limits need of a command. */
    private record Running(Process real, long startedAt, BooleanSupplier read, CompletableFuture<Exit> exit)
            implements HostedCommand {
        Running(Process real, long startedAt, BooleanSupplier read) {
            this(real, startedAt, read, real.onExit().thenApply(ended -> new Exit.Code(ended.exitValue() & 0xff)));
        }

        @Override
        public TaskId id() {
            return ID;
        }

        @Override
        public boolean outlived() {
            return false;
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
        public boolean takesLines() {
            throw unused();
        }

        @Override
        public boolean drained() {
            return read.getAsBoolean();
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
        public boolean onlyReads() {
            throw unused();
        }

        @Override
        public Optional<ReadingShell> readingShell() {
            throw unused();
        }

        @Override
        public TerminalLink openTerminal(TerminalListener listener) {
            throw unused();
        }

        private static UnsupportedOperationException unused() {
            return new UnsupportedOperationException("limits do not ask for this");
        }
    }
}
