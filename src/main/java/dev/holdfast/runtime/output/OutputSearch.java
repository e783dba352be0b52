package dev.holdfast.runtime.output;

import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.port.OutputStore.Found;
import dev.holdfast.runtime.port.OutputStore.Match;
import dev.holdfast.runtime.port.OutputStore.Wanted;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Finds lines in a task's output, running or ended. Thread-safe; blocks for as long as the search takes. */
@Singleton
public record OutputSearch(Tasks tasks, OutputStore outputs) {
    /**
     * Of both streams, those of stdout come first; each gets half of the places and what the other does not need.
     *
     * @param stream null for both
     * @param abandoned whether the caller is gone, which ends the search
     * @throws Refusal {@code task_not_found}
     */
    public Found search(TaskId id, @Nullable StreamName stream, Wanted wanted, BooleanSupplier abandoned) {
        return stream == null
                ? search(id, OutputCursor.START, wanted, abandoned)
                : outputs.search(id, stream, wanted, tasks.find(id).status().ended(), abandoned);
    }

    /** The same of both streams, from a cursor on. */
    public Found search(TaskId id, OutputCursor from, Wanted wanted, BooleanSupplier abandoned) {
        boolean last = tasks.find(id).status().ended();
        Found out = outputs.search(id, StreamName.STDOUT, wanted.from(from.stdout()), last, abandoned);
        Found err = outputs.search(id, StreamName.STDERR, wanted.from(from.stderr()), last, abandoned);
        int max = wanted.max();
        int fromOut =
                Math.min(out.matches().size(), Math.max(max - err.matches().size(), (max + 1) / 2));
        int fromErr = Math.min(err.matches().size(), max - fromOut);
        List<Match> matches = new ArrayList<>(out.matches().subList(0, fromOut));
        matches.addAll(err.matches().subList(0, fromErr));
        boolean left = fromOut + fromErr < out.matches().size() + err.matches().size();
        return new Found(matches, left || out.more() || err.more(), out.searchedBytes() + err.searchedBytes());
    }

    /**
     * Where the next one begins, so that it finds what was not told yet, and nothing twice.
     *
     * @param told how many of the matches were
     * @param end of the output, from before the search
     */
    public static OutputCursor next(Found found, int told, OutputCursor from, OutputCursor end) {
        OutputCursor next = end;
        if (found.more() || told < found.matches().size()) {
            for (Match match : found.matches()) {
                next = next.with(match.stream(), from.of(match.stream()));
            }
            for (Match match : found.matches().subList(0, told)) {
                next = next.with(match.stream(), match.end());
            }
        }
        return next;
    }
}
