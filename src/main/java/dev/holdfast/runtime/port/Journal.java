package dev.holdfast.runtime.port;

import dev.holdfast.runtime.Audit;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.task.TaskId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Port: the journal of what was decided and done, by whom; {@link Audit} says what goes into it. A line is the kernel's
 * when its method returns: it survives the end of this process, and may not survive a loss of power. Thread-safe;
 * writes files.
 */
public interface Journal {
    /** What a line tells of. */
    enum Action {
        DECISION,
        START,
        INPUT,
        SIGNAL,
        STOP,
        END,
        APPROVAL
    }

    /**
     * A line; what its action has none of is null.
     *
     * @param actor the name of the token that asked, or {@code system}
     * @param decision of decisions {@code allow}, {@code ask} or {@code deny}, of approvals {@code allow}, {@code deny}
     *     or {@code expire}
     * @param rule that decided; null: the default
     * @param cmdPreview secrets masked
     * @param bytes of input, with their {@code sha256}, hexadecimal
     * @param detail which signal, what grace, how it ended; of an approval its id; of a decision the approval that it
     *     goes by and who answered, or what of a running task is denied
     */
    record Line(
            String actor,
            Action action,
            @Nullable TaskId taskId,
            @Nullable String decision,
            @Nullable String rule,
            @Nullable List<String> classes,
            @Nullable String cmdPreview,
            @Nullable Long bytes,
            @Nullable String sha256,
            @Nullable String detail) {}

    /** @param seq grows by one from line to line, over restarts too */
    record Entry(long seq, Instant at, Line line) {}

    /**
     * @param since what was before is left out; null for none
     * @param taskId null for all
     * @param limit how many at most
     * @param after the {@code seq} behind which to begin, 0 for the oldest that is kept
     */
    record Query(@Nullable Instant since, @Nullable TaskId taskId, int limit, long after) {}

    /**
     * @param entries by {@code seq}, the oldest first
     * @param next the {@code seq} behind which to go on, null at the end
     */
    record Page(List<Entry> entries, @Nullable Long next) {}

    /**
     * Before that of which it tells.
     *
     * @throws Refusal {@code storage_full}: it cannot be written, so what it tells of must not happen
     */
    void write(Line line);

    /** Of what happens in any case: where it cannot be written, it is in the log. */
    void tell(Line line);

    /** Why it cannot be written just now, as far as can be seen without a line to write. */
    Optional<String> flaw();

    /** @throws Refusal {@code storage_full} when the files cannot be read */
    Page read(Query query);
}
