package dev.holdfast.api.body;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /v1/tasks/{id}/input}: exactly one of text, base64 and keys, or {@code eof} alone.
 *
 * @param keys whether the bytes are keys, which only a terminal takes
 * @param eof whether the input ends after the bytes
 */
public record InputBody(byte[] bytes, boolean keys, boolean eof) {
    private static final Set<String> KNOWN = Set.of("text", "base64", "keys", "eof");

    /** @throws dev.holdfast.runtime.Refusal {@code invalid_tool_input}, naming the field */
    public static InputBody parse(byte[] body) {
        Fields fields = Fields.of(body, KNOWN);
        boolean eof = fields.flag("eof", false);
        List<String> given =
                Stream.of("text", "base64", "keys").filter(fields::has).toList();
        if (given.size() > 1) {
            throw fields.refusal(
                    given.get(1), "must not be given together with `" + given.getFirst() + "`", "Send one of them.");
        }
        if (given.isEmpty() && !eof) {
            throw fields.refusal("text", "is missing", "Send one of text, base64 and keys, or eof alone.");
        }
        return new InputBody(bytes(fields), fields.has("keys"), eof);
    }

    private static byte[] bytes(Fields fields) {
        String text = fields.text("text");
        if (text != null) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        List<String> keys = fields.texts("keys");
        return keys != null ? typed(fields, keys) : decoded(fields, fields.text("base64"));
    }

    private static byte[] decoded(Fields fields, @Nullable String base64) {
        if (base64 == null) {
            return new byte[0];
        }
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw fields.refusal(
                    "base64", "is not base64: " + e.getMessage(), "Use the standard alphabet, with padding.");
        }
    }

    private static byte[] typed(Fields fields, List<String> keys) {
        if (keys.isEmpty()) {
            throw fields.refusal("keys", "is empty", "Name at least one key: " + Keys.NAMES + ".");
        }
        var bytes = new ByteArrayOutputStream();
        for (int i = 0; i < keys.size(); i++) {
            String at = "keys[" + i + "]";
            byte[] key = Keys.bytes(keys.get(i))
                    .orElseThrow(() -> fields.refusal(at, "is not a key", "Keys are: " + Keys.NAMES + "."));
            bytes.writeBytes(key);
        }
        return bytes.toByteArray();
    }
}
