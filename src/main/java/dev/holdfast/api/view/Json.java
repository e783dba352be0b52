package dev.holdfast.api.view;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON written straight into bytes, without reflection: the fields are those of the contract, in its order. */
public final class Json {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final JsonStringEncoder QUOTES = JsonStringEncoder.getInstance();
    private static final DateTimeFormatter MILLIS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    /** Writes one JSON value. */
    @FunctionalInterface
    public interface Body {
        void write(JsonGenerator json) throws IOException;
    }

    private Json() {}

    public static byte[] bytes(Body body) {
        try (ByteArrayBuilder bytes = new ByteArrayBuilder(1024);
                JsonGenerator json = FACTORY.createGenerator(bytes)) {
            body.write(json);
            json.flush();
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** RFC 3339, UTC, exactly milliseconds. */
    public static String time(Instant instant) {
        return MILLIS.format(instant);
    }

    static void time(JsonGenerator json, String name, @Nullable Instant instant) throws IOException {
        text(json, name, instant == null ? null : time(instant));
    }

    /** The field is written always; null as null. */
    static void text(JsonGenerator json, String name, @Nullable String value) throws IOException {
        json.writeFieldName(name);
        if (value == null) {
            json.writeNull();
        } else {
            json.writeString(value);
        }
    }

    static void number(JsonGenerator json, String name, @Nullable Integer value) throws IOException {
        json.writeFieldName(name);
        if (value == null) {
            json.writeNull();
        } else {
            json.writeNumber(value);
        }
    }

    static void texts(JsonGenerator json, String name, Iterable<String> values) throws IOException {
        json.writeArrayFieldStart(name);
        for (String value : values) {
            json.writeString(value);
        }
        json.writeEndArray();
    }

    /**
     * Adds data that is text, number, boolean, null, or maps and lists of these; anything else as its text. For little of
     * it: a generator of Jackson's costs more than an event is worth.
     */
    public static void append(StringBuilder json, @Nullable Object value) {
        switch (value) {
            case null -> json.append("null");
            case String text -> quote(json, text);
            case Number number -> json.append(number);
            case Boolean flag -> json.append(flag);
            case Instant instant -> quote(json, time(instant));
            case Map<?, ?> map -> {
                String separator = "{";
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    json.append(separator);
                    quote(json, String.valueOf(entry.getKey()));
                    append(json.append(':'), entry.getValue());
                    separator = ",";
                }
                json.append(map.isEmpty() ? "{}" : "}");
            }
            case Iterable<?> list -> {
                json.append('[');
                String separator = "";
                for (Object element : list) {
                    append(json.append(separator), element);
                    separator = ",";
                }
                json.append(']');
            }
            default -> quote(json, value.toString());
        }
    }

    private static void quote(StringBuilder json, String text) {
        QUOTES.quoteAsString(text, json.append('"'));
        json.append('"');
    }
}
