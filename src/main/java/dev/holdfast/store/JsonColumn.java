package dev.holdfast.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import jakarta.persistence.AttributeConverter;
import org.jspecify.annotations.Nullable;

/** A value kept as JSON text, in a form of its own that no setting of the API's JSON can change. */
abstract class JsonColumn<T> implements AttributeConverter<@Nullable T, @Nullable String> {
    private static final JsonMapper JSON = new JsonMapper();

    private final TypeReference<T> type;

    JsonColumn(TypeReference<T> type) {
        this.type = type;
    }

    @Override
    public @Nullable String convertToDatabaseColumn(@Nullable T value) {
        try {
            return value == null ? null : JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("strings that cannot be written as JSON", e);
        }
    }

    @Override
    public @Nullable T convertToEntityAttribute(@Nullable String column) {
        try {
            return column == null ? null : JSON.readValue(column, type);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a column does not hold the JSON it was given", e);
        }
    }
}
