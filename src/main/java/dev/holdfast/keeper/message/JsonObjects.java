package dev.holdfast.keeper.message;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON objects as maps. Values are String, Long, Double, Boolean, null, List and Map. Nesting is bounded. */
final class JsonObjects {
    private static final int MAX_DEPTH = 16;

    /** Keeps no names that it read, which are others' secrets at times, and would be kept for good. */
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(LineBuffer.MOST_FROM_KEEPER)
                    .maxNameLength(LineBuffer.MOST_FROM_KEEPER)
                    .build())
            .build();

    private JsonObjects() {}

    /** @throws MalformedMessageException when it is not one JSON object */
    static Map<String, @Nullable Object> read(byte[] text) {
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new MalformedMessageException("not a JSON object");
            }
            Map<String, @Nullable Object> object = members(parser);
            if (parser.nextToken() != null) {
                throw new MalformedMessageException("more than one JSON object");
            }
            return object;
        } catch (IOException malformed) { // its own message quotes the text
            throw new MalformedMessageException("malformed JSON");
        }
    }

    private static Map<String, @Nullable Object> members(JsonParser parser) throws IOException {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            members.put(name, value(parser));
        }
        return members;
    }

    private static @Nullable Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> members(parser);
            case START_ARRAY -> {
                List<@Nullable Object> elements = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    elements.add(value(parser));
                }
                yield elements;
            }
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> throw new MalformedMessageException("malformed JSON");
        };
    }

    /** In one line, UTF-8, without a line feed. */
    static byte[] write(Map<String, @Nullable Object> object) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(256);
        try (JsonGenerator generator = FACTORY.createGenerator(out)) {
            write(generator, object);
        } catch (IOException impossible) {
            throw new UncheckedIOException("memory was written to", impossible);
        }
        return out.toByteArray();
    }

    private static void write(JsonGenerator generator, @Nullable Object value) throws IOException {
        switch (value) {
            case null -> generator.writeNull();
            case String string -> generator.writeString(string);
            case Boolean flag -> generator.writeBoolean(flag);
            case Double number -> generator.writeNumber(number);
            case Number number -> generator.writeNumber(number.longValue());
            case Map<?, ?> map -> {
                generator.writeStartObject();
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    generator.writeFieldName(String.valueOf(entry.getKey()));
                    write(generator, entry.getValue());
                }
                generator.writeEndObject();
            }
            case Iterable<?> list -> {
                generator.writeStartArray();
                for (Object element : list) {
                    write(generator, element);
                }
                generator.writeEndArray();
            }
            default -> throw new IllegalArgumentException("no JSON for " + value.getClass());
        }
    }
}
