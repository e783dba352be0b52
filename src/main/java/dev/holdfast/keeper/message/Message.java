package dev.holdfast.keeper.message;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One line of the protocol between server and keeper: a JSON object. A field that a reader does not know is ignored, so
 * that either side may be the older one. Not thread-safe while it is being built.
 */
public final class Message {
    private final Map<String, @Nullable Object> fields;

    /** @param fields as {@link #with} takes them, integers as longs; they become its own */
    public Message(Map<String, @Nullable Object> fields) {
        this.fields = fields;
    }

    public static Message empty() {
        return new Message(new LinkedHashMap<>());
    }

    /** @throws MalformedMessageException when it is not a JSON object */
    public static Message parse(byte[] line) {
        return new Message(JsonObjects.read(line));
    }

    /** @param value a String, Number, Boolean, Map or Iterable of these, or null */
    public Message with(String name, @Nullable Object value) {
        fields.put(name, value);
        return this;
    }

    /** Bytes travel as base64. */
    public Message withBytes(String name, byte[] bytes) {
        return with(name, Base64.getEncoder().encodeToString(bytes));
    }

    /** Its line with the line feed, UTF-8. */
    public byte[] line() {
        byte[] json = JsonObjects.write(fields);
        byte[] line = Arrays.copyOf(json, json.length + 1);
        line[json.length] = '\n';
        return line;
    }

    public Map<String, @Nullable Object> fields() {
        return fields;
    }

    public boolean has(String name) {
        return fields.get(name) != null;
    }

    public String text(String name) {
        if (fields.get(name) instanceof String text) {
            return text;
        }
        throw wrong(name, "a string");
    }

    public long number(String name) {
        if (fields.get(name) instanceof Long number) {
            return number;
        }
        throw wrong(name, "an integer");
    }

    public boolean flag(String name) {
        return Boolean.TRUE.equals(fields.get(name));
    }

    public byte[] bytes(String name) {
        try {
            return Base64.getDecoder().decode(text(name));
        } catch (IllegalArgumentException notBase64) {
            throw wrong(name, "base64");
        }
    }

    public List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        for (Object element : list(name)) {
            if (!(element instanceof String text)) {
                throw wrong(name, "a list of strings");
            }
            texts.add(text);
        }
        return texts;
    }

    public Map<String, String> textMap(String name) {
        if (!(fields.get(name) instanceof Map<?, ?> map)) {
            throw wrong(name, "an object of strings");
        }
        Map<String, String> texts = new LinkedHashMap<>();
        map.forEach((key, value) -> {
            if (!(key instanceof String known && value instanceof String text)) {
                throw wrong(name, "an object of strings");
            }
            texts.put(known, text);
        });
        return texts;
    }

    public List<Message> messages(String name) {
        List<Message> messages = new ArrayList<>();
        for (Object element : list(name)) {
            messages.add(message(element, name, "a list of objects"));
        }
        return messages;
    }

    public Message message(String name) {
        return message(fields.get(name), name, "an object");
    }

    @SuppressWarnings("unchecked") // the reader makes maps with String keys only
    private static Message message(@Nullable Object value, String name, String wanted) {
        if (value instanceof Map<?, ?> map) {
            return new Message((Map<String, @Nullable Object>) map);
        }
        throw wrong(name, wanted);
    }

    private List<?> list(String name) {
        if (fields.get(name) instanceof List<?> list) {
            return list;
        }
        throw wrong(name, "a list");
    }

    private static MalformedMessageException wrong(String name, String wanted) {
        return new MalformedMessageException("`" + name + "` must be " + wanted);
    }
}
