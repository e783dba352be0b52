package dev.holdfast.audit;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
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
            .addMixIn(TaskId.class, AsText.class)
            .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();
    /** How many bytes a line has. */
    private static final int ROUGHLY = 512;

    private JournalLine() {}

    /** How a task's id is written. */
    private abstract static class AsText {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        @SuppressWarnings("UnusedVariable")
        AsText(String value) {}
    }

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
            JsonNode form = JSON.readTree(bytes);
            long seq = form.path("seq").asLong();
            if (seq < 1 || !form.hasNonNull("actor") || !form.hasNonNull("action")) {
                return Optional.empty();
            }
            Line line = JSON.treeToValue(form, Line.class);
            return Optional.of(new Entry(seq, Instant.parse(form.path("at").asText()), line));
        } catch (IOException | RuntimeException none) {
            return Optional.empty();
        }
    }
}
