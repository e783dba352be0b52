package dev.holdfast.runtime.start;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.task.CommandAnswer;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What became of every item of a batch, in their order. */
public record BatchAnswer(List<Item> items, boolean stopOnError) {

    /** How an item ended. */
    public enum Status {
        COMPLETED,
        FAILED,
        SKIPPED
    }

    /**
     * @param cmd the command as its caller wrote it, secrets masked
     * @param result what it printed and how it ended, also of an item that was stopped; null when it never ran
     * @param errorKind why it failed when it was not its own exit, else null
     */
    public record Item(
            int index,
            String cmd,
            Status status,
            CommandAnswer.@Nullable Completed result,
            @Nullable ErrorKind errorKind,
            @Nullable String errorMessage,
            Duration duration) {}

    public long count(Status status) {
        return items.stream().filter(item -> item.status() == status).count();
    }
}
