package dev.holdfast.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Fields of a JSON object as they are written: what is read and written anew loses what a reader is to refuse. */
final class WrittenFields {
    private static final JsonFactory ANY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private WrittenFields() {}

    /**
     * Those whose values are objects, by name.
     *
     * @param json an object
     * @throws JsonParseException it is none, or has a key twice
     */
    static Map<String, String> objects(String json) throws JsonParseException {
        Map<String, String> fields = new HashMap<>();
        try (JsonParser at = ANY.createParser(json)) {
            at.nextToken();
            while (at.nextToken() == JsonToken.FIELD_NAME) {
                String name = at.currentName();
                boolean object = at.nextToken() == JsonToken.START_OBJECT;
                int from = (int) at.currentTokenLocation().getCharOffset();
                at.skipChildren();
                int to = (int) at.currentLocation().getCharOffset();
                if (fields.put(name, object ? json.substring(from, to) : "") != null) {
                    throw new JsonParseException(at, "Duplicate field '" + name + "'");
                }
            }
        } catch (JsonParseException flaw) {
            throw flaw;
        } catch (IOException noText) {
            throw new IllegalStateException(noText);
        }
        fields.values().removeIf(String::isEmpty);
        return fields;
    }
}
