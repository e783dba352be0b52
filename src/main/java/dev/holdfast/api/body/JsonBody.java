package dev.holdfast.api.body;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.runtime.Refusal;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Bytes of a body as a JSON object: one value, no key twice, nothing after it, at most 16 levels deep. */
final class JsonBody {
    private static final int MAX_DEPTH = 16;
    private static final int MAX_NUMBER_LENGTH = 100;
    private static final int MAX_NAME_LENGTH = 1024;
    private static final ObjectReader READER = reader();
    private static final String HINT = "Send one JSON object with Content-Type: application/json.";

    private JsonBody() {}

    private static ObjectReader reader() {
        StreamReadConstraints limits = StreamReadConstraints.builder()
                .maxNestingDepth(MAX_DEPTH)
                .maxNumberLength(MAX_NUMBER_LENGTH)
                .maxNameLength(MAX_NAME_LENGTH)
                .maxStringLength(Integer.MAX_VALUE)
                .build();
        JsonFactory factory = JsonFactory.builder()
                .streamReadConstraints(limits)
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                .build();
        return JsonMapper.builder(factory)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .build()
                .reader()
                .without(JsonParser.Feature.AUTO_CLOSE_SOURCE);
    }

    /** @throws Refusal {@code invalid_tool_input}: the bytes are not one JSON object */
    static ObjectNode parse(byte[] body) {
        if (body.length == 0) {
            throw Refusal.invalid("", "the body is empty, a JSON object is needed", HINT);
        }
        JsonNode node = tree(body);
        if (node instanceof ObjectNode object) {
            return object;
        }
        throw Refusal.invalid("", "the body must be a JSON object", HINT);
    }

    private static JsonNode tree(byte[] body) {
        try {
            return READER.readTree(body);
        } catch (MismatchedInputException e) {
            throw Refusal.invalid("", "the body goes on after its JSON object", HINT);
        } catch (JsonProcessingException e) {
            throw Refusal.invalid("", "the body is not valid JSON: " + describe(e), HINT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String describe(JsonProcessingException e) {
        var at = e.getLocation();
        String where = at == null ? "" : " (line " + at.getLineNr() + ", column " + at.getColumnNr() + ")";
        return e.getOriginalMessage() + where;
    }
}
