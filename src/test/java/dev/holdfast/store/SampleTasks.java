package dev.holdfast.store;

import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.Sandbox;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import dev.holdfast.task.TaskStatus;
import dev.holdfast.task.TerminalSize;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Tasks to be stored; each has an id above those before it. */
final class SampleTasks {
    static final Instant NOW = Instant.parse("2026-03-01T12:00:00.123456789Z");
    static final Ending EXIT_0 = new Ending(EndedBy.EXIT, 0, null, Map.of());

    private static final TaskIds IDS = new TaskIds(InstantSource.system(), new Random());

    private SampleTasks() {}

    static TaskId id() {
        return IDS.next();
    }

    static Task plain(TaskId id, Map<String, String> labels) {
        return Task.queued(id, command(new Invocation.ShellText("true", "/bin/sh", false), labels), NOW);
    }

    static Task running(String cmd) {
        return of(command(new Invocation.ShellText(cmd, "/bin/bash", true), Map.of()), TaskStatus.RUNNING);
    }

    static Task program(List<String> argv) {
        return of(command(new Invocation.Program(argv), Map.of()), TaskStatus.RUNNING);
    }

    static Task labelled(Map<String, String> labels) {
        return of(command(new Invocation.ShellText("true", "/bin/sh", false), labels), TaskStatus.RUNNING);
    }

    static Task in(TaskStatus status) {
        return of(command(new Invocation.ShellText("true", "/bin/sh", false), Map.of()), status);
    }

    static Task of(String cmd, Map<String, String> labels, TaskStatus status) {
        return of(command(new Invocation.ShellText(cmd, "/bin/sh", false), labels), status);
    }

    static Task owned(String owner, String cmd) {
        return of(cmd, Map.of(), TaskStatus.RUNNING, owner);
    }

    /** @param owner null: the operator's */
    static Task of(String cmd, Map<String, String> labels, TaskStatus status, @Nullable String owner) {
        CommandSpec command = new CommandSpec(
                new Invocation.ShellText(cmd, "/bin/sh", false),
                Path.of("/tmp"),
                null,
                false,
                List.of(),
                null,
                null,
                OnExit.LEAVE,
                labels,
                null,
                owner);
        return of(command, status);
    }

    /** Every kind of ending, status, invocation; every field that can be null both ways. */
    static Stream<Task> everyShape() {
        CommandSpec full = new CommandSpec(
                new Invocation.ShellText("psql <<'E'\nselect '\u00e9\u20ac\ud83d\ude00';\nE", "/usr/bin/zsh", true),
                Path.of("/home/\u00fcser/a b"),
                new TerminalSize(50, 132),
                true,
                List.of("A", "PATH", "x.\"y\""),
                Duration.ofMillis(1500),
                Duration.ofHours(9),
                OnExit.STOP,
                Map.of("team", "a=b", "\u00e9", ""),
                new Sandbox(Sandbox.Files.WORKSPACE_WRITE, true),
                "ci");
        CommandSpec program = command(
                new Invocation.Program(List.of("printf", "", "a b", "\"\\\n\t\u0001", "\ud83d\ude00")), Map.of());
        CommandSpec large =
                command(new Invocation.ShellText("echo " + "\u20ac%_".repeat(34_000), "/bin/sh", false), Map.of());
        CommandSpec larger = command(new Invocation.Program(List.of("echo", "\u0001".repeat(1_200_000))), Map.of());
        Stream<Task> commands = Stream.of(full, program, large, larger).map(command -> of(command, TaskStatus.RUNNING));
        Stream<Task> statuses = Stream.of(TaskStatus.values()).map(SampleTasks::in);
        Stream<Task> endings = Stream.of(EndedBy.values())
                .flatMap(by -> Stream.of(
                        new Ending(by, 255, null, Map.of()),
                        new Ending(by, null, "SIGKILL", Map.of("oom", "killed by the kernel", "x", "")),
                        new Ending(by, null, null, Map.of())))
                .map(SampleTasks::endedBy);
        return Stream.of(commands, statuses, endings, Stream.of(plain(id(), Map.of())))
                .flatMap(all -> all);
    }

    private static Task of(CommandSpec command, TaskStatus status) {
        Instant end = NOW.plusSeconds(5);
        return new Task(
                id(),
                command,
                status,
                NOW,
                NOW.plusNanos(1),
                NOW.plusMillis(10_000),
                status.ended() ? end : NOW.plusMillis(10_001),
                status.ended() ? end : null,
                status.ended() ? EXIT_0 : null,
                0);
    }

    static Task endedAt(Instant end, String cmd, Map<String, String> labels) {
        Task task = of(cmd, labels, TaskStatus.COMPLETED);
        return new Task(task.id(), task.command(), task.status(), NOW, NOW, NOW, end, end, EXIT_0, 0);
    }

    private static Task endedBy(Ending ending) {
        Task task = in(TaskStatus.FAILED);
        return new Task(
                task.id(),
                task.command(),
                task.status(),
                task.createdAt(),
                null,
                null,
                task.updatedAt(),
                task.endedAt(),
                ending,
                0);
    }

    private static CommandSpec command(Invocation invocation, Map<String, String> labels) {
        return new CommandSpec(
                invocation, Path.of("/tmp"), null, false, List.of(), null, null, OnExit.LEAVE, labels, null, null);
    }
}
