package dev.holdfast.message.view;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** How answers are written: the names of records in snake_case, in their order; a field that is null as null. */
public final class Json {
    private static final DateTimeFormatter MILLIS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    /** Its buffers are shared, for each request has a thread of its own. */
    private static final ObjectWriter WRITER = JsonMapper.builder(JsonFactory.builder()
                    .recyclerPool(JsonRecyclerPools.sharedConcurrentDequePool())
                    .build())
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .addModule(
                    new SimpleModule().addSerializer(Instant.class, new Time()).addSerializer(Enum.class, new Name()))
            .build()
            .writer();

    private Json() {}

    private static final class Time extends JsonSerializer<Instant> {
        @Override
        public void serialize(Instant instant, JsonGenerator json, SerializerProvider all) throws IOException {
            json.writeString(time(instant));
        }
    }

    @SuppressWarnings("rawtypes") // as Jackson has the serializer of all enums
    private static final class Name extends JsonSerializer<Enum> {
        @Override
        public void serialize(Enum constant, JsonGenerator json, SerializerProvider all) throws IOException {
            json.writeString(name(constant));
        }
    }

    /** A record, or maps and lists of what JSON has, as UTF-8. */
    public static byte[] bytes(Object value) {
        try {
            return WRITER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes the writer of these records, which else the first of them does. */
    public static void prepare(Class<? extends Record> type) {
        WRITER.forType(type);
    }

    /** The same as text, in one line. */
    public static String text(Object value) {
        return new String(bytes(value), StandardCharsets.UTF_8);
    }

    /** RFC 3339, UTC, exactly milliseconds. */
    public static String time(Instant instant) {
        return MILLIS.format(instant);
    }

    /** An enum's name as callers see it. */
    public static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
