package dev.holdfast.runtime;

import dev.holdfast.render.Diagnostics;
import dev.holdfast.task.CommandAnswer.Artifact;
import dev.holdfast.task.CommandAnswer.Completed;
import dev.holdfast.task.CommandDiagnostics;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.Preview;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes what a caller is told of an ended command, and keeps of its folder what may be asked for again. Thread-safe. */
@Singleton
public final class Answers {
    private final OutputStore outputs;
    private final AnswerFiles files;
    private final LiveCommands live;
    private final Leftovers leftovers;

    @Inject
    public Answers(OutputStore outputs, AnswerFiles files, LiveCommands live, Leftovers leftovers) {
        this.outputs = outputs;
        this.files = files;
        this.live = live;
        this.leftovers = leftovers;
    }

    CommandDiagnostics diagnose(StartRequest request) {
        Invocation invocation = switch (request.what()) {
            case StartRequest.What.ShellText text ->
                new Invocation.ShellText(text.cmd(), Objects.requireNonNullElse(text.shell(), "sh"), text.login());
            case StartRequest.What.Program program -> new Invocation.Program(program.argv());
        };
        return Diagnostics.of(invocation, request.maxOutputTokens());
    }

    /**
     * The answer for a command that ended in its window. Its folder goes, unless the answer names its files or may be
     * asked for again by its key; then the answer is on disk before it is given.
     */
    Completed completed(Launch launch, Task task, CommandDiagnostics diagnostics) {
        Completed answer = describe(task, diagnostics);
        if (task.promotedAt() == null) {
            if (answer.preview().truncated() || launch.idempotency() != null) {
                files.write(task.id(), answer);
            } else {
                var _ = leftovers.forgetWhenQuiet(task.id());
            }
            live.remove(task.id());
        }
        return answer;
    }

    /** The answer that a command's folder keeps. */
    Optional<Completed> kept(TaskId id) {
        return files.read(id);
    }

    /** What an ended task's caller is told, made from what its folder holds. */
    Completed describe(Task task, CommandDiagnostics diagnostics) {
        Preview preview = outputs.preview(task.id(), diagnostics.outputCharBudget());
        Instant started = Objects.requireNonNullElse(task.startedAt(), task.createdAt());
        Instant ended = Objects.requireNonNull(task.endedAt());
        return new Completed(
                Objects.requireNonNull(task.ending()),
                preview,
                limit(task),
                preview.truncated() ? artifacts(task.id()) : List.of(),
                Duration.between(started, ended),
                diagnostics);
    }

    private static @Nullable Duration limit(Task task) {
        return switch (Objects.requireNonNull(task.ending()).endedBy()) {
            case TIMEOUT -> task.command().timeout();
            case IDLE_TIMEOUT -> task.command().idleTimeout();
            case EXIT, SIGNAL, STOP, OUTPUT_LIMIT, REBOOT, UNKNOWN -> null;
        };
    }

    private List<Artifact> artifacts(TaskId id) {
        OutputStore.Facts facts = outputs.facts(id);
        List<Artifact> artifacts = new ArrayList<>();
        if (facts.stdoutBytes() > 0) {
            artifacts.add(new Artifact(outputs.file(id, StreamName.STDOUT), StreamName.STDOUT, facts.stdoutBytes()));
        }
        if (facts.stderrBytes() > 0) {
            artifacts.add(new Artifact(outputs.file(id, StreamName.STDERR), StreamName.STDERR, facts.stderrBytes()));
        }
        return artifacts;
    }
}
