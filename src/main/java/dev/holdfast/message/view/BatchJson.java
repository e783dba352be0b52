package dev.holdfast.message.view;

import dev.holdfast.render.Receipts;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.start.BatchAnswer;
import dev.holdfast.runtime.start.BatchAnswer.Status;
import dev.holdfast.task.EndedBy;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

@Schema(name = "BatchAnswer", description = "What became of each item, in their order")
public record BatchJson(
        int itemCount,
        long completedCount,
        long failedCount,
        long skippedCount,
        boolean stopOnError,
        List<Item> items,
        String summaryText) {

    @Schema(name = "BatchItem", description = "What became of one item")
    public record Item(
            @Schema(description = "From 0") int index,

            @Schema(description = "As its caller wrote it, secrets masked")
            String cmd,

            @Schema(enumeration = {"completed", "failed", "skipped"})
            String status,

            @Schema(nullable = true, description = "Also of an item that was stopped; null when it never ran")
            AnswerJson.@Nullable Completed result,

            @Schema(
                    nullable = true,
                    implementation = String.class,
                    description = "Why it failed when it was not its own exit")
            @Nullable
            ErrorKind errorKind,

            @Schema(nullable = true) @Nullable String errorMessage,
            long durationMs) {
        private static Item of(BatchAnswer.Item item) {
            var result = item.result();
            return new Item(
                    item.index(),
                    item.cmd(),
                    Json.name(item.status()),
                    result == null ? null : AnswerJson.of(result),
                    item.errorKind(),
                    item.errorMessage(),
                    item.duration().toMillis());
        }
    }

    public static BatchJson of(BatchAnswer answer) {
        return new BatchJson(
                answer.items().size(),
                answer.count(Status.COMPLETED),
                answer.count(Status.FAILED),
                answer.count(Status.SKIPPED),
                answer.stopOnError(),
                answer.items().stream().map(Item::of).toList(),
                summary(answer));
    }

    /** The same as text: a head for each item, why it failed where its receipt does not say it, and its receipt. */
    public static String receipt(BatchAnswer answer) {
        List<String> parts = new ArrayList<>();
        parts.add(summary(answer));
        int count = answer.items().size();
        for (BatchAnswer.Item item : answer.items()) {
            parts.add("[" + (item.index() + 1) + "/" + count + "] " + Json.name(item.status()) + ": " + item.cmd());
            var result = item.result();
            String error = item.errorMessage();
            if (error != null && (result == null || result.ending().endedBy() == EndedBy.STOP)) {
                parts.add(error);
            }
            if (result != null) {
                parts.add(Receipts.of(result));
            }
        }
        return String.join("\n\n", parts);
    }

    private static String summary(BatchAnswer answer) {
        return "Batch of " + answer.items().size() + ": " + answer.count(Status.COMPLETED) + " completed, "
                + answer.count(Status.FAILED) + " failed, " + answer.count(Status.SKIPPED) + " skipped";
    }
}
