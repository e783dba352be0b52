package dev.holdfast.tool;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * JSON Schema (draft 2020-12) of a record that input is read into: names, types, choices, defaults and what a field
 * means. Bounds are left out, for a model pays for each word and is told them when it breaks one.
 */
final class Schemas {
    private static final Map<Class<?>, String> PLAIN = Map.of(
            String.class, "string",
            Boolean.class, "boolean",
            Integer.class, "integer",
            Long.class, "integer",
            Double.class, "number");

    private Schemas() {}

    /**
     * @param notes what fields mean, by their names, in place of what the record says of them to those who pay for no
     *     word; a list that has one tells no more of its elements. Null: what the record says
     */
    static Map<String, Object> of(Class<? extends Record> type, @Nullable Map<String, String> notes) {
        Map<String, Object> schema = object(type, notes);
        schema.put("additionalProperties", false);
        return schema;
    }

    private static Map<String, Object> object(Class<? extends Record> type, @Nullable Map<String, String> notes) {
        Map<String, Object> properties = new LinkedHashMap<>();
        List<String> required = new ArrayList<>();
        for (RecordComponent field : type.getRecordComponents()) {
            Schema told = field.getAccessor().getAnnotation(Schema.class);
            properties.put(name(field), property(field, told, notes));
            if (told != null && told.required()) {
                required.add(name(field));
            }
        }
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", "object");
        schema.put("properties", properties);
        if (!required.isEmpty()) {
            schema.put("required", required);
        }
        return schema;
    }

    private static Map<String, Object> property(
            RecordComponent field, @Nullable Schema told, @Nullable Map<String, String> notes) {
        Map<String, Object> property = new LinkedHashMap<>(of(field.getGenericType(), notes));
        String note = notes == null ? told == null ? null : told.description() : notes.get(name(field));
        if (note != null && !note.isEmpty()) {
            property.put("description", note);
        }
        if (notes != null && note != null && property.get("items") instanceof Map<?, ?> items) {
            property.put("items", Map.of("type", String.valueOf(items.get("type"))));
        }
        if (told != null) {
            if (told.enumeration().length > 0 && "string".equals(property.get("type"))) {
                property.put("enum", List.of(told.enumeration()));
            }
            if (!told.defaultValue().isEmpty() && !told.defaultValue().equals("false")) {
                property.put("default", value(property, told.defaultValue()));
            }
        }
        return property;
    }

    private static Map<String, Object> of(Type type, @Nullable Map<String, String> notes) {
        if (type instanceof ParameterizedType generic) {
            Type last = generic.getActualTypeArguments()[generic.getActualTypeArguments().length - 1];
            Map<String, Object> schema = new LinkedHashMap<>();
            schema.put("type", generic.getRawType() == List.class ? "array" : "object");
            if (generic.getRawType() == List.class) {
                schema.put("items", of(last, notes));
            }
            return schema;
        }
        Class<?> plain = (Class<?>) type;
        if (plain.isRecord()) {
            return object(plain.asSubclass(Record.class), notes);
        }
        return Map.of("type", Objects.requireNonNull(PLAIN.get(plain), plain::getName));
    }

    private static Object value(Map<String, Object> property, String written) {
        return switch (String.valueOf(property.get("type"))) {
            case "integer", "number" -> Long.valueOf(written);
            case "boolean" -> Boolean.valueOf(written);
            default -> written;
        };
    }

    /** As in JSON. */
    private static String name(RecordComponent field) {
        JsonProperty own = field.getAccessor().getAnnotation(JsonProperty.class);
        return own == null ? SnakeCaseStrategy.INSTANCE.translate(field.getName()) : own.value();
    }
}
