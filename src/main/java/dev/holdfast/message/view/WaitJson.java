package dev.holdfast.message.view;

import dev.holdfast.runtime.wait.WaitAnswer;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

@Schema(name = "WaitOutcome", description = "What came true; conditions are named by their index")
public record WaitJson(
        @Schema(description = "The conditions that came true", examples = "[0]")
        List<Integer> satisfied,

        @Schema(description = "The time was over before there was an answer")
        boolean timedOut,

        @Schema(
                description =
                        "Of output_matches: the line that matches; of needs_input: the last line printed, which asks")
        List<Match> matches,

        @Schema(description = "Each task of the request once, in its order, as it stands now")
        List<TaskJson> tasks,

        @Schema(description = "The conditions that can't come true any more: their task ended without them")
        List<Integer> impossible) {

    @Schema(name = "WaitMatch", description = "A line that matches, or asks")
    public record Match(
            int index,

            @Schema(
                    description = "The line, at most 2000 characters of it around the match",
                    examples = "Listening on http://localhost:3000")
            String text,

            @Schema(
                    description = "Goes on after this line: for the next wait, or a read of both streams",
                    examples = "1834.0")
            String cursor) {}

    public static WaitJson of(WaitAnswer answer) {
        return new WaitJson(
                answer.satisfied(),
                answer.timedOut(),
                answer.matches().stream()
                        .map(match -> new Match(match.index(), match.text(), match.cursor()))
                        .toList(),
                answer.tasks().stream().map(TaskJson::of).toList(),
                answer.impossible());
    }
}
