package dev.holdfast.audit;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.runtime.port.Journal.Action;
import dev.holdfast.runtime.port.Journal.Entry;
import dev.holdfast.runtime.port.Journal.Line;
import dev.holdfast.task.TaskId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A line of a journal's file: JSON, of one line and with its end, {@code seq} first. */
final class JournalLine {
    private static final DateTimeFormatter MILLIS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);
    private static final JsonMapper JSON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();
    private static final ObjectReader READER = JSON.readerFor(Form.class);
    /** How many bytes a line has. */
    private static final int ROUGHLY = 512;

    private JournalLine() {}

    private record Form(
            long seq,
            @Nullable String at,
            @Nullable String actor,
            @Nullable String action,
            @Nullable String taskId,
            @Nullable String decision,
            @Nullable String rule,
            @Nullable List<String> classes,
            @Nullable String cmdPreview,
            @Nullable Long bytes,
            @Nullable String sha256,
            @Nullable String detail) {}

    /**
     * With the line's end. By hand, for the first command of a server would wait until Jackson has looked at a record.
     */
    static byte[] bytes(long seq, Instant at, Line line) {
        var bytes = new ByteArrayOutputStream(ROUGHLY);
        try (JsonGenerator json = JSON.getFactory().createGenerator(bytes)) {
            json.writeStartObject();
            json.writeNumberField("seq", seq);
            json.writeStringField("at", MILLIS.format(at));
            json.writeStringField("actor", line.actor());
            json.writeStringField("action", line.action().name().toLowerCase(Locale.ROOT));
            json.writeStringField(
                    "task_id", line.taskId() == null ? null : line.taskId().value());
            json.writeStringField("decision", line.decision());
            json.writeStringField("rule", line.rule());
            json.writeFieldName("classes");
            writeAll(json, line.classes());
            json.writeStringField("cmd_preview", line.cmdPreview());
            json.writeObjectField("bytes", line.bytes());
            json.writeStringField("sha256", line.sha256());
            json.writeStringField("detail", line.detail());
            json.writeEndObject();
            json.writeRaw('\n');
        } catch (IOException e) {
            throw new UncheckedIOException("memory cannot be written", e);
        }
        return bytes.toByteArray();
    }

    private static void writeAll(JsonGenerator json, @Nullable List<String> names) throws IOException {
        if (names == null) {
            json.writeNull();
        } else {
            json.writeArray(names.toArray(new String[0]), 0, names.size());
        }
    }

    /** Its {@code seq} alone, once the whole of it was seen to be JSON; 0 when it is no line of a journal. */
    static long seq(byte[] bytes) {
        try (JsonParser json = JSON.getFactory().createParser(bytes)) {
            boolean begins = json.nextToken() == JsonToken.START_OBJECT && "seq".equals(json.nextFieldName());
            long seq = begins ? json.nextLongValue(0) : 0;
            while (json.nextToken() != null) {
                json.skipChildren();
            }
            return seq;
        } catch (IOException none) {
            return 0;
        }
    }

    /** Empty when it is no line of a journal. */
    static Optional<Entry> read(byte[] bytes) {
        try {
            Form form = READER.readValue(bytes);
            if (form.seq < 1 || form.at == null || form.actor == null || form.action == null) {
                return Optional.empty();
            }
            Line line = new Line(
                    form.actor,
                    Action.valueOf(form.action.toUpperCase(Locale.ROOT)),
                    form.taskId == null ? null : new TaskId(form.taskId),
                    form.decision,
                    form.rule,
                    form.classes,
                    form.cmdPreview,
                    form.bytes,
                    form.sha256,
                    form.detail);
            return Optional.of(new Entry(form.seq, Instant.parse(form.at), line));
        } catch (IOException | RuntimeException none) {
            return Optional.empty();
        }
    }
}
