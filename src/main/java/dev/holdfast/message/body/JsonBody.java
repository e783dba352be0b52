package dev.holdfast.message.body;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.runtime.call.Refusal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Bytes of a body as a record: one JSON object, no key twice, nothing after it, at most 16 levels deep. A field that is
 * not a component of the record is refused, and so is a null; one that is absent is null in the record. Nothing is
 * coerced, {@code "5"} and {@code 5.0} are no integers, but where models write it: {@link #lenient}. Single values are
 * read as {@link Strict} says.
 */
public final class JsonBody {
    private static final JsonFactory ANY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .disable(JsonFactory.Feature.CHARSET_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();
    private static final JsonBody STRICT = new JsonBody(false);
    private static final JsonBody LENIENT = new JsonBody(true);
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    private static final String HINT = "Send one JSON object with Content-Type: application/json.";
    /** What the parser says of itself, to who has set it up. */
    private static final Pattern LIBRARY = Pattern.compile(
            ": enable `\\S+` to allow| \\(not recognized as .*|\\[Source: .*?\\); (?=line)|(?<=\\d)](?=\\)$)"
                    + "|, from `\\S+`(?=\\))");

    private static final Map<Class<?>, String> WORDS = Map.of(
            String.class, "a string",
            Boolean.class, "true or false",
            Integer.class, "a whole number, written without a fraction",
            Long.class, "a whole number, written without a fraction",
            Double.class, "a number");

    private final ObjectReader reader;
    private final boolean lenient;

    private JsonBody(boolean lenient) {
        this.reader = reader(lenient);
        this.lenient = lenient;
    }

    private static ObjectReader reader(boolean lenient) {
        StreamReadConstraints limits = StreamReadConstraints.builder()
                .maxNestingDepth(16)
                .maxNumberLength(100)
                .maxNameLength(1024)
                .maxStringLength(Integer.MAX_VALUE)
                .build();
        JsonFactory factory = JsonFactory.builder()
                .streamReadConstraints(limits)
                .recyclerPool(JsonRecyclerPools.sharedConcurrentDequePool()) // each request has a thread of its own
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .disable(JsonFactory.Feature.CHARSET_DETECTION)
                .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                .build();
        return JsonMapper.builder(factory)
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .disable(DeserializationFeature.WRAP_EXCEPTIONS)
                .addModule(Strict.module(lenient))
                .build()
                .reader()
                .withAttribute(Strict.LENIENT, lenient);
    }

    /** @throws Refusal {@code invalid_tool_input}: the bytes are not one such object */
    public static <T extends Record> T read(byte[] body, Class<T> type) {
        return STRICT.record(body, type);
    }

    /**
     * The same from a model, which may quote a number, a truth value, a list or an object, and write 5 as 5.0, as JSON
     * Schema has it; text stays text where a text is asked for. Values of an environment it may leave without quotes.
     */
    public static <T extends Record> T lenient(byte[] body, Class<T> type) {
        return LENIENT.record(body, type);
    }

    /**
     * Looks whether the bytes are one JSON object, whatever it holds.
     *
     * @throws Refusal {@code invalid_tool_input}, saying what they are instead
     */
    public static void requireObject(byte[] body) {
        var _ = object(body, ANY::createParser, JsonParser::skipChildren);
    }

    private <T extends Record> T record(byte[] body, Class<T> type) {
        return object(body, reader::createParser, at -> read(at, type));
    }

    private interface Reading<F, T> {
        T read(F from) throws IOException;
    }

    private static <T> T object(byte[] body, Reading<byte[], JsonParser> parsing, Reading<JsonParser, T> content) {
        if (body.length == 0) {
            throw Refusal.invalid("", "the body is empty, a JSON object is needed", HINT);
        }
        if (Arrays.mismatch(body, BYTE_ORDER_MARK) == BYTE_ORDER_MARK.length) {
            throw Refusal.invalid("", "the body begins with a byte order mark", "Send it without: UTF-8 needs none.");
        }
        try (JsonParser parser = parsing.read(body)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw Refusal.invalid("", "the body must be a JSON object", HINT);
            }
            T read = content.read(parser);
            if (parser.nextToken() != null) {
                throw Refusal.invalid("", "the body goes on after its JSON object", HINT);
            }
            return read;
        } catch (StreamConstraintsException e) {
            throw Refusal.invalid(
                    "", "the body is too large or too deep: " + describe(e), "Send less of it, or flatter.");
        } catch (JsonProcessingException e) {
            if (e.getCause() instanceof Refusal refusal) {
                throw refusal; // of an item of a list
            }
            throw Refusal.invalid("", "the body is not valid JSON: " + describe(e), HINT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private <T> T read(JsonParser parser, Class<T> type) throws IOException {
        try {
            return reader.readValue(parser, type);
        } catch (MismatchedInputException e) {
            throw wrongType(e.getProcessor() instanceof JsonParser at ? at : parser, e.getTargetType());
        } catch (JsonParseException e) {
            if (e.getOriginalMessage().startsWith("Duplicate field")) {
                throw Refusal.invalid(Strict.path(e.getProcessor()), "is given twice", "Send it once.");
            }
            throw e;
        }
    }

    private Refusal wrongType(JsonParser at, Class<?> wanted) {
        String otherwise = Collection.class.isAssignableFrom(wanted) ? "a list" : "an object";
        JsonToken found = at.currentToken();
        String hint = found == JsonToken.VALUE_NULL
                ? "Send that type; what is not needed is left out."
                : lenient ? "Send that type." : "Nothing is converted: send the type.";
        boolean unquoted = !lenient && Number.class.isAssignableFrom(wanted);
        String words = WORDS.getOrDefault(wanted, otherwise) + (unquoted ? " or quotes" : "");
        return Refusal.invalid(Strict.path(at), "must be " + words + ", not " + name(found), hint);
    }

    private static String name(JsonToken found) {
        return switch (found) {
            case VALUE_NUMBER_FLOAT -> "a number with a fraction or an exponent";
            case VALUE_NUMBER_INT -> "number";
            case VALUE_TRUE, VALUE_FALSE -> "boolean";
            case START_ARRAY -> "array";
            case START_OBJECT, FIELD_NAME -> "object";
            default -> found.name().substring("VALUE_".length()).toLowerCase(Locale.ROOT);
        };
    }

    private static String describe(JsonProcessingException e) {
        var at = e.getLocation();
        String where = at == null ? "" : " (line " + at.getLineNr() + ", column " + at.getColumnNr() + ")";
        return flaw(e) + where;
    }

    /** In words that say nothing of the parser. */
    public static String flaw(JsonProcessingException e) {
        return LIBRARY.matcher(e.getOriginalMessage()).replaceAll("");
    }
}
