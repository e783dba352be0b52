package dev.holdfast.message.view;

import dev.holdfast.runtime.output.OutputPage;
import dev.holdfast.runtime.port.OutputStore.Gap;
import dev.holdfast.task.TaskStatus;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

@Schema(name = "OutputPage", description = "A part of a task's output")
public record OutputJson(
        String taskId,
        TaskStatus status,

        @Schema(
                enumeration = {"stdout", "stderr", "all"},
                description = "As it was asked for")
        String stream,

        String text,

        @Schema(description = "Where it begins; of one stream a byte offset", examples = "0")
        String cursor,

        @Schema(description = "Where the next read begins", examples = "65536")
        String nextCursor,

        @Schema(description = "What is no longer kept: from inclusive, to exclusive")
        List<Gap> omitted,

        @Schema(description = "It ended and all was read") boolean end,

        @Schema(nullable = true, description = "Null while it runs, and when no code was seen") @Nullable
        Integer exitStatus) {

    /** @param text of the page, as it is asked for */
    public static OutputJson of(OutputPage<?> page, String text, String stream) {
        return new OutputJson(
                page.id().value(),
                page.status(),
                stream,
                text,
                page.cursor(),
                page.nextCursor(),
                page.omitted(),
                page.end(),
                page.exitStatus());
    }
}
