package dev.holdfast.api.view;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.render.Receipts;
import dev.holdfast.runtime.BatchAnswer;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.CommandAnswer.AlreadyRunning;
import dev.holdfast.task.CommandAnswer.Artifact;
import dev.holdfast.task.CommandAnswer.Completed;
import dev.holdfast.task.CommandAnswer.PromotedToTask;
import dev.holdfast.task.CommandDiagnostics;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import java.io.IOException;
import java.util.List;

/** What a caller who started commands is told, as JSON. */
public final class AnswerJson {
    private AnswerJson() {}

    public static byte[] answer(CommandAnswer answer) {
        return Json.bytes(json -> write(json, answer));
    }

    private static void write(JsonGenerator json, CommandAnswer answer) throws IOException {
        json.writeStartObject();
        switch (answer) {
            case Completed completed -> completed(json, completed);
            case PromotedToTask promoted -> promoted(json, promoted);
            case AlreadyRunning running -> alreadyRunning(json, running);
        }
        json.writeStringField("summary_text", Receipts.summaryText(answer));
        diagnostics(json, answer.diagnostics());
        json.writeEndObject();
    }

    private static void completed(JsonGenerator json, Completed answer) throws IOException {
        json.writeStringField("disposition", "completed");
        TaskJson.ending(json, answer.ending());
        if (!answer.ending().details().isEmpty()) {
            TaskJson.details(json, answer.ending());
        }
        Json.text(json, "stdout_preview", answer.preview().stdout());
        Json.text(json, "stderr_preview", answer.preview().stderr());
        json.writeBooleanField("truncated", answer.preview().truncated());
        json.writeArrayFieldStart("artifacts");
        for (Artifact artifact : answer.artifacts()) {
            json.writeStartObject();
            json.writeStringField("path", artifact.path().toString());
            json.writeStringField("stream", TaskJson.name(artifact.stream()));
            json.writeNumberField("bytes", artifact.bytes());
            json.writeEndObject();
        }
        json.writeEndArray();
        index(json, "stdout_artifact", answer.artifacts(), StreamName.STDOUT);
        index(json, "stderr_artifact", answer.artifacts(), StreamName.STDERR);
        json.writeNumberField("duration_ms", answer.duration().toMillis());
    }

    /** Absent when the stream has no artifact. */
    private static void index(JsonGenerator json, String name, List<Artifact> artifacts, StreamName stream)
            throws IOException {
        for (int i = 0; i < artifacts.size(); i++) {
            if (artifacts.get(i).stream() == stream) {
                json.writeNumberField(name, i);
                return;
            }
        }
    }

    private static void promoted(JsonGenerator json, PromotedToTask answer) throws IOException {
        json.writeStringField("disposition", "promoted_to_task");
        handle(json, answer.task());
        Json.text(json, "initial_output_preview", Receipts.initialOutput(answer.initial()));
        json.writeBooleanField("initial_output_truncated", answer.initial().truncated());
        json.writeStringField("promoted_because", answer.because());
    }

    private static void alreadyRunning(JsonGenerator json, AlreadyRunning answer) throws IOException {
        json.writeStringField("disposition", "already_running");
        handle(json, answer.task());
        TaskJson.command(json, answer.task());
        json.writeStringField(
                "summary", Diagnostics.summary(answer.task().command().invocation()));
        json.writeStringField("instructions", Receipts.START_ANOTHER);
    }

    private static void handle(JsonGenerator json, Task task) throws IOException {
        json.writeObjectFieldStart("task_handle");
        json.writeStringField("task_id", task.id().value());
        json.writeStringField("task_kind", TaskJson.KIND);
        json.writeStringField("status", TaskJson.name(task.status()));
        json.writeEndObject();
    }

    private static void diagnostics(JsonGenerator json, CommandDiagnostics facts) throws IOException {
        json.writeObjectFieldStart("command_diagnostics");
        json.writeStringField("cmd_preview", facts.cmdPreview());
        json.writeNumberField("cmd_char_count", facts.cmdCharCount());
        json.writeNumberField("cmd_estimated_tokens", facts.cmdEstimatedTokens());
        json.writeBooleanField("contains_heredoc", facts.containsHeredoc());
        json.writeBooleanField("contains_inline_script", facts.containsInlineScript());
        json.writeBooleanField("exceeds_soft_threshold", facts.exceedsSoftThreshold());
        json.writeNumberField("effective_max_output_tokens", facts.effectiveMaxOutputTokens());
        json.writeNumberField("output_char_budget", facts.outputCharBudget());
        json.writeEndObject();
    }

    public static byte[] batch(BatchAnswer answer) {
        return Json.bytes(json -> {
            json.writeStartObject();
            json.writeNumberField("item_count", answer.items().size());
            for (BatchAnswer.Status status : BatchAnswer.Status.values()) {
                json.writeNumberField(TaskJson.name(status) + "_count", answer.count(status));
            }
            json.writeBooleanField("stop_on_error", answer.stopOnError());
            json.writeArrayFieldStart("items");
            for (BatchAnswer.Item item : answer.items()) {
                item(json, item);
            }
            json.writeEndArray();
            json.writeStringField("summary_text", Texts.summary(answer));
            json.writeEndObject();
        });
    }

    private static void item(JsonGenerator json, BatchAnswer.Item item) throws IOException {
        json.writeStartObject();
        json.writeNumberField("index", item.index());
        json.writeStringField("cmd", item.cmd());
        json.writeStringField("status", TaskJson.name(item.status()));
        json.writeFieldName("result");
        Completed result = item.result();
        if (result == null) {
            json.writeNull();
        } else {
            write(json, result);
        }
        var kind = item.errorKind();
        Json.text(json, "error_kind", kind == null ? null : TaskJson.name(kind));
        Json.text(json, "error_message", item.errorMessage());
        json.writeNumberField("duration_ms", item.duration().toMillis());
        json.writeEndObject();
    }
}
