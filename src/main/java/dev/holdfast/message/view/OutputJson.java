package dev.holdfast.message.view;

import dev.holdfast.runtime.output.OutputPage;
import dev.holdfast.runtime.port.OutputStore.Gap;
import dev.holdfast.task.TaskStatus;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A page of output. */
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

    /** @param stream as it was asked for */
    public static OutputJson text(OutputPage<String> page, String stream) {
        return of(page, page.content(), stream);
    }

    /** The raw view: the bytes as UTF-8, what is none as U+FFFD; escapes and carriage returns stay. */
    public static OutputJson raw(OutputPage<byte[]> page, String stream) {
        return of(page, new String(page.content(), StandardCharsets.UTF_8), stream);
    }

    private static OutputJson of(OutputPage<?> page, String text, String stream) {
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
