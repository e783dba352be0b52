package dev.holdfast.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A value kept as JSON text, in a form of its own that no setting of the API's JSON can change. */
final class JsonColumn<T> {
    static final JsonColumn<List<String>> STRINGS = new JsonColumn<>(new TypeReference<>() {});
    static final JsonColumn<Map<String, String>> STRING_MAP = new JsonColumn<>(new TypeReference<>() {});

    private static final JsonMapper JSON = new JsonMapper();

    private final TypeReference<T> type;

    private JsonColumn(TypeReference<T> type) {
        this.type = type;
    }

    @Nullable
    String text(@Nullable T value) {
        try {
            return value == null ? null : JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("strings that cannot be written as JSON", e);
        }
    }

    @Nullable
    T value(@Nullable String column) {
        try {
            return column == null ? null : JSON.readValue(column, type);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a column does not hold the JSON it was given", e);
        }
    }
}
