package dev.holdfast.store;

import com.fasterxml.jackson.core.type.TypeReference;
import jakarta.persistence.Converter;
import java.util.Map;

/** A map of strings as a JSON object. */
@Converter
class StringMapColumn extends JsonColumn<Map<String, String>> {
    StringMapColumn() {
        super(new TypeReference<>() {});
    }
}
