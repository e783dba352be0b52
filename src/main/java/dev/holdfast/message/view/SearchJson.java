package dev.holdfast.message.view;

import dev.holdfast.runtime.port.OutputStore.Found;
import dev.holdfast.task.StreamName;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

@Schema(name = "OutputSearch", description = "Lines of a task's output that match")
public record SearchJson(
        List<Match> matches,

        @Schema(description = "More lines match than are told")
        boolean more,

        @Schema(description = "How much of what is kept was looked at", examples = "20971520")
        long searchedBytes) {

    @Schema(name = "OutputMatch", description = "A line that matches, with those around it")
    public record Match(
            StreamName stream,

            @Schema(
                    nullable = true,
                    description = "From 1; null behind what is no longer kept, where nobody can count",
                    examples = "1042")
            @Nullable
            Long line,

            @Schema(description = "Where it begins, in bytes: a cursor of its stream", examples = "81920")
            long offset,

            @Schema(
                    maxLength = 2000,
                    description = "Cut around the match where it is longer, with … for what is left out",
                    examples = "src/main.c:7: error: expected ';'")
            String text,

            @Schema(description = "The lines before it, in order; long ones are cut")
            List<String> before,

            @Schema(description = "The lines after it, in order; long ones are cut")
            List<String> after) {}

    public static SearchJson of(Found found) {
        return new SearchJson(
                found.matches().stream()
                        .map(match -> new Match(
                                match.stream(),
                                match.line(),
                                match.offset(),
                                match.text(),
                                match.before(),
                                match.after()))
                        .toList(),
                found.more(),
                found.searchedBytes());
    }
}
