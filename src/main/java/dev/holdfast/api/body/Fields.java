package dev.holdfast.api.body;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.runtime.Refusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one JSON object, read by name. Nothing is coerced: {@code "5"} and {@code 5.0} are no integers and
 * {@code null} is no value. Every failure is a {@link Refusal} that names the field. Not thread-safe.
 */
public final class Fields {
    private final ObjectNode node;
    private final String path;
    private final Set<String> known;

    private Fields(ObjectNode node, String path, Set<String> known) {
        this.node = node;
        this.path = path;
        this.known = Collections.unmodifiableSet(new java.util.TreeSet<>(known));
        refuseUnknown();
    }

    /** The object that is the whole body; a field outside {@code known} is refused. */
    public static Fields of(byte[] body, Set<String> known) {
        return new Fields(JsonBody.parse(body), "", known);
    }

    private void refuseUnknown() {
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            String name = field.getKey();
            if (!known.contains(name)) {
                String hint = Nearest.to(name, known)
                        .map(near -> "Did you mean `" + near + "`? ")
                        .orElse("");
                throw refusal(
                        Text.shortened(name),
                        "is not a known field",
                        hint + "Known fields: " + String.join(", ", known) + ".");
            }
        }
    }

    public boolean has(String name) {
        return node.has(name);
    }

    /** A refusal of the field {@code name} of this object; {@code problem} goes on after the name. */
    public Refusal refusal(String name, String problem, String hint) {
        return Refusal.invalid(path + name, problem, hint);
    }

    /** A text without NUL, null when absent. */
    public @Nullable String text(String name) {
        JsonNode value = node.get(name);
        return value == null ? null : text(name, value);
    }

    public boolean flag(String name, boolean otherwise) {
        JsonNode value = node.get(name);
        if (value == null) {
            return otherwise;
        }
        if (!value.isBoolean()) {
            throw wrongType(name, "true or false", value);
        }
        return value.booleanValue();
    }

    public int whole(String name, int otherwise, int min, int max) {
        JsonNode value = node.get(name);
        return value == null ? otherwise : (int) whole(name, value, min, max);
    }

    public @Nullable Integer whole(String name, int min, int max) {
        JsonNode value = node.get(name);
        return value == null ? null : (int) whole(name, value, min, max);
    }

    public Duration millis(String name, Duration otherwise, long min, long max) {
        Duration value = millis(name, min, max);
        return value == null ? otherwise : value;
    }

    public @Nullable Duration millis(String name, long min, long max) {
        JsonNode value = node.get(name);
        return value == null ? null : Duration.ofMillis(whole(name, value, min, max));
    }

    /** One of an enum's names, in lower case. */
    public <E extends Enum<E>> E choice(String name, E otherwise) {
        String value = text(name);
        return value == null ? otherwise : choice(name, value, otherwise.getDeclaringClass());
    }

    private <E extends Enum<E>> E choice(String name, String value, Class<E> type) {
        List<String> names = new ArrayList<>();
        for (E constant : type.getEnumConstants()) {
            String lower = constant.name().toLowerCase(Locale.ROOT);
            if (lower.equals(value)) {
                return constant;
            }
            names.add(lower);
        }
        throw refusal(name, "must be one of " + String.join(", ", names), "Use one of these, or leave it out.");
    }

    /** A list of texts without NUL, null when absent. */
    public @Nullable List<String> texts(String name) {
        JsonNode value = node.get(name);
        if (value == null) {
            return null;
        }
        List<String> texts = new ArrayList<>(value.size());
        for (JsonNode element : array(name, value)) {
            texts.add(text(name + "[" + texts.size() + "]", element));
        }
        return texts;
    }

    /** A flat object whose values are texts, or null where {@code nullable}; in the order written, empty when absent. */
    public Map<String, @Nullable String> pairs(String name, boolean nullable) {
        JsonNode value = node.get(name);
        if (value == null) {
            return Map.of();
        }
        if (!(value instanceof ObjectNode object)) {
            throw wrongType(name, "an object", value);
        }
        Map<String, @Nullable String> pairs = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> pair : object.properties()) {
            String key = pair.getKey();
            JsonNode content = pair.getValue();
            pairs.put(key, nullable && content.isNull() ? null : text(name + "." + Text.shortened(key), content));
        }
        return pairs;
    }

    /** An object inside, null when absent. */
    public @Nullable Fields object(String name, Set<String> knownInside) {
        JsonNode value = node.get(name);
        return value == null ? null : object(name, value, knownInside);
    }

    /** A list of objects; empty when absent. */
    public List<Fields> objects(String name, Set<String> knownInside) {
        JsonNode value = node.get(name);
        if (value == null) {
            return List.of();
        }
        List<Fields> objects = new ArrayList<>(value.size());
        for (JsonNode element : array(name, value)) {
            objects.add(object(name + "[" + objects.size() + "]", element, knownInside));
        }
        return objects;
    }

    private Fields object(String name, JsonNode value, Set<String> knownInside) {
        if (!(value instanceof ObjectNode object)) {
            throw wrongType(name, "an object", value);
        }
        return new Fields(object, path + name + ".", knownInside);
    }

    private ArrayNode array(String name, JsonNode value) {
        if (!(value instanceof ArrayNode array)) {
            throw wrongType(name, "a list", value);
        }
        return array;
    }

    private String text(String name, JsonNode value) {
        if (!value.isTextual()) {
            throw wrongType(name, "a string", value);
        }
        String text = value.textValue();
        Text.flaw(text).ifPresent(flaw -> {
            throw refusal(name, flaw, "Send plain Unicode text; input can carry other bytes as `base64`.");
        });
        return text;
    }

    private long whole(String name, JsonNode value, long min, long max) {
        if (!value.isIntegralNumber()) {
            throw wrongType(name, "a whole number, written without a fraction or quotes", value);
        }
        if (!value.canConvertToLong() || value.longValue() < min || value.longValue() > max) {
            throw refusal(name, "must be between " + min + " and " + max, "Choose a number in these bounds.");
        }
        return value.longValue();
    }

    private Refusal wrongType(String name, String wanted, JsonNode found) {
        String is = found.isFloatingPointNumber()
                ? "a number with a fraction or an exponent"
                : found.getNodeType().name().toLowerCase(Locale.ROOT);
        String hint =
                found.isNull() ? "Leave the field out to get its default." : "Nothing is converted: send the type.";
        return refusal(name, "must be " + wanted + ", not " + is, hint);
    }
}
