package dev.holdfast.runtime;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.CommandAnswer.Artifact;
import dev.holdfast.task.CommandAnswer.Completed;
import dev.holdfast.task.CommandAnswer.LeftRunning;
import dev.holdfast.task.CommandAnswer.Omitted;
import dev.holdfast.task.CommandAnswer.PromotedToTask;
import dev.holdfast.task.CommandDiagnostics;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.Preview;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalScreen;
import dev.holdfast.task.TerminalSize;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Makes what a caller is told of a command. That of one that ended in its window and whose folder stays is kept there,
 * as JSON: a folder with an answer is no task. Thread-safe.
 */
@Singleton
public record Answers(
        HoldfastConfig config,
        CommandHost host,
        OutputStore outputs,
        LiveCommands live,
        Prompts prompts,
        Leftovers leftovers) {
    /** Why a command became a task when no condition of its request held. */
    public static final String WINDOW_CLOSED = "yield_time";
    /** It waits for somebody to type. */
    public static final String NEEDS_INPUT = "needs_input";

    private static final Logger LOG = Logger.getLogger(Answers.class);

    private static final ObjectMapper JSON =
            JsonMapper.builder().addModule(new JavaTimeModule()).build();
    private static final ObjectReader READER = JSON.readerFor(Completed.class);
    private static final ObjectWriter WRITER = JSON.writerFor(Completed.class);

    /**
     * The answer for a command that ended in its window. Its folder goes, unless the answer names its files or may be
     * asked for again by its key; then the answer is on disk before it is given.
     */
    public Completed completed(LiveCommand command, Task task, CommandDiagnostics diagnostics) {
        List<LeftProcess> left = command.left();
        LeftRunning known = left.isEmpty() ? null : new LeftRunning(task.id(), left);
        Completed answer = describe(task, known, diagnostics);
        if (task.promotedAt() == null) {
            if (!answer.preview().truncated() && command.launch().idempotency() == null) {
                var _ = leftovers.forgetWhenQuiet(task.id());
                live.remove(task.id());
            } else if (keep(task.id(), answer)) {
                live.remove(task.id());
            }
        }
        return answer;
    }

    /** @return whether it is on disk; else the command stays in memory, so that its key still finds it */
    private boolean keep(TaskId id, Completed answer) {
        Path file = TaskFolder.of(config.dataDir(), id).answer();
        Path draft = file.resolveSibling("answer.draft");
        try {
            Files.write(draft, WRITER.writeValueAsBytes(answer));
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
            return true;
        } catch (IOException failure) {
            LOG.warnf("The answer of %s could not be kept, the next start makes a task of it: %s", id, failure);
            return false;
        }
    }

    /** Whether the folder of {@code id} keeps an answer. */
    public boolean keeps(TaskId id) {
        return !keptSince(id).equals(Instant.MAX);
    }

    /** Never, where the folder of {@code id} keeps none. */
    Instant keptSince(TaskId id) {
        long written = TaskFolder.of(config.dataDir(), id).answer().toFile().lastModified();
        return written == 0 ? Instant.MAX : Instant.ofEpochMilli(written);
    }

    /** The answer that the folder of {@code id} keeps; nothing too where it cannot be read. */
    Optional<Completed> kept(TaskId id) {
        Path file = TaskFolder.of(config.dataDir(), id).answer();
        try {
            return Optional.of(READER.readValue(Files.readAllBytes(file)));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException damaged) {
            LOG.warnf("%s cannot be read: %s", file, damaged);
            return Optional.empty();
        }
    }

    /** What the caller of a command that goes on is told. */
    public PromotedToTask promoted(Task task, String because, CommandDiagnostics diagnostics) {
        Prompts.Prompt prompt = because.equals(NEEDS_INPUT) ? prompts.of(task.id()) : null;
        return new PromotedToTask(
                task,
                preview(task, diagnostics.outputCharBudget()),
                because,
                prompt == null ? null : prompt.text(),
                diagnostics);
    }

    /**
     * What of a command's output is shown: head and tail, or, once it has drawn whole screens as editors and pagers do,
     * the screen of its terminal. One that cannot be read is empty and truncated: neither the task's name nor how it
     * ended is lost for it.
     */
    public Preview preview(Task task, int budgetChars) {
        try {
            TerminalSize terminal = task.command().terminal();
            TerminalScreen screen = terminal == null ? null : host.screen(task.id(), terminal);
            return screen != null && screen.usedAlternate()
                    ? screen.preview(budgetChars)
                    : outputs.preview(task.id(), budgetChars, task.status().ended());
        } catch (RuntimeException failure) {
            LOG.warnf(failure, "The output of %s cannot be shown", task.id());
            return new Preview(null, null, true);
        }
    }

    /** What an editor or a pager shows that draws on its terminal just now; nothing of what prints lines. */
    public Optional<Preview> drawn(Task task, int budgetChars) {
        return Optional.ofNullable(task.command().terminal())
                .map(terminal -> host.screen(task.id(), terminal))
                .filter(TerminalScreen::alternate)
                .map(screen -> screen.preview(budgetChars));
    }

    /** What an ended task's caller is told, made from what its folder holds and what still lives of it. */
    Completed describe(Task task, CommandDiagnostics diagnostics) {
        Instant ended = Objects.requireNonNull(task.endedAt());
        return describe(task, new LeftRunning(task.id(), leftovers.of(task.id(), ended)), diagnostics);
    }

    private Completed describe(Task task, @Nullable LeftRunning left, CommandDiagnostics diagnostics) {
        Preview preview = preview(task, diagnostics.outputCharBudget());
        Instant started = Objects.requireNonNullElse(task.startedAt(), task.createdAt());
        Instant ended = Objects.requireNonNull(task.endedAt());
        return new Completed(
                Objects.requireNonNull(task.ending()),
                preview,
                limit(task),
                preview.truncated() ? filesOf(task.id()) : List.of(),
                Collections.max(List.of(Duration.between(started, ended), Duration.ZERO)), // the clock may be set back
                left,
                diagnostics);
    }

    /** None where they cannot be read: how it ended is not lost for that. */
    private List<Artifact> filesOf(TaskId id) {
        try {
            return artifacts(id);
        } catch (RuntimeException failure) {
            LOG.warnf(failure, "What there is of the output of %s cannot be told", id);
            return List.of();
        }
    }

    private static @Nullable Duration limit(Task task) {
        return switch (Objects.requireNonNull(task.ending()).endedBy()) {
            case TIMEOUT -> task.command().timeout();
            case IDLE_TIMEOUT -> task.command().idleTimeout();
            case EXIT, SIGNAL, STOP, OUTPUT_LIMIT, REBOOT, UNKNOWN -> null;
        };
    }

    private @Nullable Omitted omitted(TaskId id, StreamName stream) {
        OutputStore.Gap gap = outputs.gap(id, stream);
        return gap == null ? null : new Omitted(gap.from(), gap.to());
    }

    /** Its streams on disk, but those that are empty. */
    public List<Artifact> artifacts(TaskId id) {
        OutputStore.Facts facts = outputs.facts(id);
        return Stream.of(StreamName.values())
                .map(stream -> new Artifact(outputs.file(id, stream), stream, facts.bytes(stream), omitted(id, stream)))
                .filter(artifact -> artifact.bytes() > 0)
                .toList();
    }
}
