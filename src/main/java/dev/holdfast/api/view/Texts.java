package dev.holdfast.api.view;

import dev.holdfast.render.Receipts;
import dev.holdfast.runtime.BatchAnswer;
import dev.holdfast.runtime.BatchAnswer.Status;
import java.util.ArrayList;
import java.util.List;

/** The words for a whole batch; those for one command are {@link Receipts}. */
public final class Texts {
    private Texts() {}

    /** A head for each item, then its receipt or why there is none. */
    public static String receipt(BatchAnswer answer) {
        List<String> parts = new ArrayList<>();
        parts.add(summary(answer));
        int count = answer.items().size();
        for (BatchAnswer.Item item : answer.items()) {
            parts.add("[" + (item.index() + 1) + "/" + count + "] " + TaskJson.name(item.status()) + ": " + item.cmd());
            String error = item.errorMessage();
            if (error != null) {
                parts.add(error);
            }
            var result = item.result();
            if (result != null) {
                parts.add(Receipts.of(result));
            }
        }
        return String.join("\n\n", parts);
    }

    /** The batch in one line. */
    static String summary(BatchAnswer answer) {
        return "Batch of " + answer.items().size() + ": " + answer.count(Status.COMPLETED) + " completed, "
                + answer.count(Status.FAILED) + " failed, " + answer.count(Status.SKIPPED) + " skipped";
    }
}
