package dev.holdfast.tool;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import java.util.Locale;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What a call of a tool is answered: a result or an error; both where the tool's design has a result that is an error.
 */
@Schema(description = "What came of the call; an error of the tool's is an answer too")
public record ToolAnswer(
        String toolName,

        @Schema(enumeration = {"success", "error"}) String status,

        @Schema(description = "In one line") String summaryText,

        @Schema(
                nullable = true,
                implementation = Object.class,
                description = "For programs; null on an error, but where the tool's design has one then too")
        @Nullable
        Object result,

        @Schema(nullable = true) @Nullable Failure error,

        @Schema(description = "What the model reads") String text) {

    /** Why a tool did not do what it was asked. */
    @Schema(name = "ToolError")
    public record Failure(
            @Schema(implementation = String.class, examples = "task_not_found")
            ErrorKind kind,

            String message,

            @Schema(description = "What to do now, a sentence")
            String recoveryHint,

            boolean retryable,
            Map<String, Object> details) {
        private static Failure of(Refusal refusal) {
            return new Failure(
                    refusal.kind(),
                    refusal.getMessage(),
                    refusal.recoveryHint(),
                    refusal.kind().retryable(),
                    refusal.details());
        }
    }

    static ToolAnswer of(String tool, Tool.Outcome outcome) {
        Refusal failure = outcome.failure();
        return new ToolAnswer(
                tool,
                failure == null ? "success" : "error",
                outcome.summary(),
                outcome.result(),
                failure == null ? null : Failure.of(failure),
                outcome.text());
    }

    static ToolAnswer of(Tool<?> tool, Refusal refusal) {
        return new ToolAnswer(
                tool.name(), "error", refusal.getMessage(), null, Failure.of(refusal), tool.told(refusal));
    }

    /** {@code success}, or the kind of the error. */
    String outcome() {
        return error == null ? status : error.kind().name().toLowerCase(Locale.ROOT);
    }

    public boolean failed() {
        return error != null;
    }
}
