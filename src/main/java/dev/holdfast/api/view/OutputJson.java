package dev.holdfast.api.view;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.holdfast.runtime.OutputPage;
import dev.holdfast.runtime.OutputStore.Gap;
import dev.holdfast.runtime.RawPage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Pages of output as JSON. */
public final class OutputJson {
    private OutputJson() {}

    /** @param stream as it was asked for */
    public static byte[] page(OutputPage page, String stream) {
        return Json.bytes(json -> {
            json.writeStartObject();
            json.writeStringField("task_id", page.id().value());
            json.writeStringField("status", TaskJson.name(page.status()));
            json.writeStringField("stream", stream);
            json.writeStringField("text", page.text());
            json.writeStringField("cursor", page.cursor());
            json.writeStringField("next_cursor", page.nextCursor());
            omitted(json, page.omitted());
            json.writeBooleanField("end", page.end());
            Json.number(json, "exit_status", page.exitStatus());
            json.writeEndObject();
        });
    }

    /** The raw view: the bytes as UTF-8, what is none as U+FFFD; escapes and carriage returns stay. */
    public static byte[] page(RawPage page, String stream) {
        String text = new String(page.bytes(), StandardCharsets.UTF_8);
        return page(
                new OutputPage(
                        page.id(),
                        page.status(),
                        text,
                        page.cursor(),
                        page.nextCursor(),
                        page.omitted(),
                        page.end(),
                        page.exitStatus()),
                stream);
    }

    private static void omitted(JsonGenerator json, List<Gap> gaps) throws IOException {
        json.writeArrayFieldStart("omitted");
        for (Gap gap : gaps) {
            json.writeStartObject();
            json.writeNumberField("from", gap.from());
            json.writeNumberField("to", gap.to());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
