package dev.holdfast.render;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.CommandAnswer.AlreadyRunning;
import dev.holdfast.task.CommandAnswer.Artifact;
import dev.holdfast.task.CommandAnswer.Completed;
import dev.holdfast.task.CommandAnswer.Omitted;
import dev.holdfast.task.CommandAnswer.PromotedToTask;
import dev.holdfast.task.CommandDiagnostics;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.PlainCommand;
import dev.holdfast.task.Preview;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskEvent;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskLifecycle;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReceiptsTest {
    private static final CommandDiagnostics DIAGNOSTICS =
            new CommandDiagnostics("make", 4, 1, false, false, false, 8000, 32_000);
    private static final TaskId ID = new TaskId("task_01JABCDEFGHJKMNPQRSTVWXYZ0");
    private static final Ending EXIT_3 = new Ending(EndedBy.EXIT, 3, null, Map.of());

    /** A model that is not told tries it again, and again. */
    @Test
    void saysThatMemoryRanOut() {
        Ending ending = new Ending(
                EndedBy.SIGNAL,
                null,
                "SIGKILL",
                Map.of("out_of_memory", "true", "killed_pid", "4711", "killed_name", "cc1plus"));

        String cause = "Out of memory: the kernel killed its process 4711 (cc1plus).";
        assertThat(Receipts.of(new Completed(
                        ending, new Preview(null, null, false), null, List.of(), Duration.ZERO, null, DIAGNOSTICS)))
                .isEqualTo("Process exited on signal SIGKILL\n\n" + cause);
        assertThat(Receipts.causeWithoutTask(ending)).contains(cause);
        assertThat(Receipts.cause(EXIT_3)).isEmpty();
    }

    @Test
    void saysThatTheLastOutputMayBeMissing() {
        Ending ending = new Ending(EndedBy.EXIT, 0, null, Map.of("output_may_be_missing", "true"));

        assertThat(Receipts.cause(ending))
                .contains("What it printed last may be missing: the keeper of its terminal did not answer.");
    }

    @Test
    void saysThatAnExitCodeMayBeASignal() {
        Ending ending = new Ending(EndedBy.EXIT, 130, null, Map.of("may_be_signal", "SIGINT"));

        assertThat(Receipts.cause(ending)).contains("That exit code may be SIGINT: nobody saw which.");
    }

    @Test
    void showsACompletedCommand() {
        List<Artifact> artifacts = List.of(
                new Artifact(Path.of("/data/tasks/x/out"), StreamName.STDOUT, 9_000_000, null),
                new Artifact(Path.of("/data/tasks/x/err"), StreamName.STDERR, 9_000_000, new Omitted(400, 8_000_000)));
        CommandAnswer answer = new Completed(
                EXIT_3,
                new Preview("a\nb\n", "oops", true),
                null,
                artifacts,
                Duration.ofMillis(120),
                null,
                DIAGNOSTICS);

        assertThat(Receipts.of(answer)).isEqualTo("""
                        Process exited with code 3

                        stdout:
                        a
                        b

                        stderr:
                        oops

                        Artifacts:
                        /data/tasks/x/out
                        /data/tasks/x/err

                        Not kept, beyond the output's budget:
                        stderr bytes 400 to 8000000: zeros in its file""");
        assertThat(Receipts.summaryText(answer)).isEqualTo("Process exited with code 3 after 120 ms");
    }

    @Test
    void leavesOutWhatWouldBeEmpty() {
        assertThat(Receipts.of(completed(EXIT_3, Preview.EMPTY, null))).isEqualTo("Process exited with code 3");
        assertThat(Receipts.of(completed(EXIT_3, new Preview("", "\n", false), null)))
                .isEqualTo("Process exited with code 3");
        assertThat(Receipts.of(completed(EXIT_3, new Preview(null, "oops\n", false), null)))
                .isEqualTo("Process exited with code 3\n\nstderr:\noops");
    }

    @Test
    void namesWhatIsLeftRunning() {
        List<LeftProcess> left = new ArrayList<>(List.of(
                new LeftProcess(4711, "npm run dev", List.of("npm", "run", "dev", "TOKEN=abc"), List.of()),
                new LeftProcess(4712, "node", List.of("node", "server.js"), List.of(3000, 9229)),
                new LeftProcess(4713, "worker", List.of(), List.of())));

        assertThat(Receipts.of(leaving(left))).isEqualTo("""
                        Process exited with code 3

                        Left running:
                        4711 npm run dev TOKEN=***
                        4712 node server.js (port 3000, 9229)
                        4713 [worker]
                        Run it without `&`: it becomes a task by itself. A stop of task_01JABCDEFGHJKMNPQRSTVWXYZ0 ends what is left.""");
        left.addAll(Collections.nCopies(9, left.getLast()));
        assertThat(Receipts.of(leaving(left))).contains("\n4713 [worker]\n… and 2 more\nRun it without ");
    }

    private static Completed leaving(List<LeftProcess> left) {
        return new Completed(
                EXIT_3,
                Preview.EMPTY,
                null,
                List.of(),
                Duration.ofMillis(7),
                new CommandAnswer.LeftRunning(ID, left),
                DIAGNOSTICS);
    }

    @ParameterizedTest
    @CsvSource({
        "SIGNAL, Process exited on signal SIGKILL",
        "STOP, Process stopped: a stop was asked for",
        "TIMEOUT, Process stopped: timeout after 1500 ms",
        "IDLE_TIMEOUT, Process stopped: idle timeout after 1500 ms",
        "OUTPUT_LIMIT, Process stopped: output limit reached",
        "REBOOT, 'Process ended: the machine restarted, its exit is not known'",
        "UNKNOWN, 'Process ended: nobody saw how, its exit is not known'"
    })
    void saysWhatEndedIt(EndedBy by, String line) {
        Ending ending = new Ending(by, null, "SIGKILL", Map.of());
        CommandAnswer answer = completed(ending, new Preview("hi\n", null, false), Duration.ofMillis(1500));

        assertThat(Receipts.of(answer)).isEqualTo(line + "\n\nstdout:\nhi");
        assertThat(Receipts.summaryText(answer)).isEqualTo(line + ", it ran 7 ms");
    }

    @Test
    void showsAPromotedCommand() {
        CommandAnswer answer = new PromotedToTask(
                task("make"), new Preview("listening\n", null, false), "output_matches", null, DIAGNOSTICS);

        assertThat(Receipts.of(answer)).isEqualTo("""
                        Command promoted to background task
                        Task: task_01JABCDEFGHJKMNPQRSTVWXYZ0

                        Initial output:
                        listening""");
        assertThat(Receipts.summaryText(answer))
                .isEqualTo("Command promoted to background task task_01JABCDEFGHJKMNPQRSTVWXYZ0 (output_matches)");
    }

    @Test
    void saysWhenNothingWasPrintedBeforePromotion() {
        assertThat(Receipts.of(new PromotedToTask(task("make"), Preview.EMPTY, "yield_time", null, DIAGNOSTICS)))
                .endsWith("\n\nInitial output:\n(none captured before promotion)");
    }

    @Test
    void showsBothStreamsOfInitialOutput() {
        assertThat(Receipts.initialOutput(new Preview("a\n", "b\n", false))).isEqualTo("a\nb");
        assertThat(Receipts.initialOutput(new Preview(null, "b", false))).isEqualTo("b");
        assertThat(Receipts.initialOutput(Preview.EMPTY)).isNull();
    }

    @Test
    void anEmptyLineIsOutput() {
        Preview line = new Preview("\n", null, false);
        assertThat(Receipts.initialOutput(line)).isEmpty();
        assertThat(Receipts.of(new PromotedToTask(task("make"), line, "yield_time", null, DIAGNOSTICS)))
                .endsWith("\n\nInitial output:\n");
    }

    @Test
    void showsACommandThatRunsAlready() {
        CommandAnswer answer = new AlreadyRunning(task("TOKEN=abc npm run dev \\\n  -- --port 3000"), DIAGNOSTICS);

        assertThat(Receipts.of(answer)).isEqualTo("""
                        Command is already running
                        Task: task_01JABCDEFGHJKMNPQRSTVWXYZ0
                        Status: Running
                        Task summary: TOKEN=*** npm run dev -- --port 3000
                        Command: TOKEN=*** npm run dev -- --port 3000
                        workdir=/srv/app
                        shell=/bin/bash

                        Set duplicate_policy="start_new" to start another instance.""");
        assertThat(Receipts.summaryText(answer))
                .isEqualTo("Command is already running as task_01JABCDEFGHJKMNPQRSTVWXYZ0");
    }

    @Test
    void namesNoShellForAProgram() {
        Task task = task(new Invocation.Program(List.of("npm", "run", "dev")));

        assertThat(Receipts.of(new AlreadyRunning(task, DIAGNOSTICS)))
                .contains("\nworkdir=/srv/app\n\nSet duplicate_policy")
                .doesNotContain("shell=");
    }

    @Test
    void showsAFailure() {
        assertThat(Receipts.failure("/srv/nowhere does not exist.", "Create it, or name another workdir."))
                .isEqualTo("""
                        Command failed

                        /srv/nowhere does not exist.

                        Create it, or name another workdir.""");
        assertThat(Receipts.failure("It broke.", "")).isEqualTo("Command failed\n\nIt broke.");
    }

    private static Completed completed(Ending ending, Preview preview, @Nullable Duration limit) {
        return new Completed(ending, preview, limit, List.of(), Duration.ofMillis(7), null, DIAGNOSTICS);
    }

    private static Task task(String cmd) {
        return task(new Invocation.ShellText(cmd, "/bin/bash", true));
    }

    private static Task task(Invocation invocation) {
        CommandSpec command = PlainCommand.of(invocation, Path.of("/srv/app"));
        Instant now = Instant.parse("2026-03-01T12:00:00Z");
        return TaskLifecycle.apply(Task.queued(ID, command, now), new TaskEvent.Spawned(), now);
    }
}
