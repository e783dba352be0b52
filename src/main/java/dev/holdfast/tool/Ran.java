package dev.holdfast.tool;

import dev.holdfast.render.Receipts;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Preview;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What came of a command that a tool of another design started.
 *
 * @param task the task that it became, null when it ended before
 * @param ending null when it became a task
 * @param artifacts the whole output of one that ended, none when the preview is all of it
 * @param left what it left running when it ended, null where nothing is
 */
public record Ran(
        @Nullable Task task,
        @Nullable Ending ending,
        Preview preview,
        List<CommandAnswer.Artifact> artifacts,
        CommandAnswer.@Nullable LeftRunning left) {
    /** What these designs say of an end by a signal. */
    private static final int SIGNALLED = -1;

    public static Ran of(CommandAnswer answer) {
        return switch (answer) {
            case CommandAnswer.Completed completed ->
                new Ran(null, completed.ending(), completed.preview(), completed.artifacts(), completed.left());
            case CommandAnswer.PromotedToTask promoted ->
                new Ran(promoted.task(), null, promoted.initial(), List.of(), null);
            case CommandAnswer.AlreadyRunning running -> new Ran(running.task(), null, Preview.EMPTY, List.of(), null);
            case CommandAnswer.AwaitingApproval awaiting ->
                throw new IllegalStateException(awaiting.approvalId() + " was not withdrawn");
        };
    }

    /** Whose folder keeps them: a command that ended in its window has no row, but a folder that has its name. */
    public @Nullable TaskId kept() {
        return artifacts.stream()
                .map(artifact -> artifact.path()
                        .getName(artifact.path().getNameCount() - 2)
                        .toString())
                .flatMap(name -> TaskId.parse(name).stream())
                .findFirst()
                .orElse(null);
    }

    /** The task that goes on, null when it ended. */
    public @Nullable TaskId id() {
        return task == null ? null : task.id();
    }

    /** The task that it is on record as: it goes on, or something that it left does. */
    public @Nullable TaskId recorded() {
        return left == null ? id() : left.task();
    }

    /** As it was printed; empty for none. */
    public String stdout() {
        return Objects.requireNonNullElse(preview.stdout(), "");
    }

    /** As it was printed; empty for none. */
    public String stderr() {
        return Objects.requireNonNullElse(preview.stderr(), "");
    }

    /** Both streams, stdout first; empty for none. */
    public String output() {
        return Objects.requireNonNullElse(Receipts.initialOutput(preview), "");
    }

    public boolean endedBy(EndedBy who) {
        return ending != null && ending.endedBy() == who;
    }

    /** -1 for a signal; null while it runs. */
    public @Nullable Integer exitCode() {
        if (ending == null) {
            return null;
        }
        return ending.exitStatus() == null ? SIGNALLED : ending.exitStatus();
    }

    /** Why it is an error where only success is none; null for that, and while it runs. */
    public @Nullable Refusal failure() {
        if (ending == null || (endedBy(EndedBy.EXIT) && Objects.equals(exitCode(), 0))) {
            return null;
        }
        return switch (ending.endedBy()) {
            case EXIT -> failure("The command exited with code " + exitCode() + ".");
            case SIGNAL -> failure("The command ended on signal " + ending.exitSignal() + ".");
            case STOP -> new Refusal(ErrorKind.CANCELLED, "The command was stopped.", "Run it again if it is wanted.");
            case REBOOT, UNKNOWN -> failure("The command ended, and nobody saw how.");
            case TIMEOUT, IDLE_TIMEOUT, OUTPUT_LIMIT ->
                failure("The command was ended: "
                        + ending.endedBy().name().toLowerCase(Locale.ROOT).replace('_', ' ') + ".");
        };
    }

    private static Refusal failure(String message) {
        return new Refusal(ErrorKind.EXECUTION_FAILED, message, "Read its output, and change the command.");
    }
}
