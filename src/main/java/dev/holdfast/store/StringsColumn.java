package dev.holdfast.store;

import com.fasterxml.jackson.core.type.TypeReference;
import jakarta.persistence.Converter;
import java.util.List;

/** A list of strings as a JSON array. */
@Converter
class StringsColumn extends JsonColumn<List<String>> {
    StringsColumn() {
        super(new TypeReference<>() {});
    }
}
