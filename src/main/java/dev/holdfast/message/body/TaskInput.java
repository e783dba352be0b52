package dev.holdfast.message.body;

import dev.holdfast.runtime.call.Refusal;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of {@code POST /v1/tasks/{id}/input}: exactly one of text, base64 and keys, or {@code eof} alone. */
@Schema(
        description = "One of text, base64 and keys, or eof alone",
        examples = {"{\"text\": \"yes\\n\"}", "{\"keys\": [\"ctrl-c\"]}", "{\"eof\": true}"},
        additionalProperties = Schema.False.class)
public record TaskInput(
        @Schema(description = "Sent as UTF-8; nothing is added, not even a newline") @Nullable
        String text,

        @Schema(description = "Any bytes; the standard alphabet, with padding") @Nullable
        String base64,

        @Schema(minItems = 1, description = "Names of keys, for a terminal only: " + Keys.NAMES) @Nullable
        List<String> keys,

        @Schema(defaultValue = "false", description = "End of input after it") @Nullable
        Boolean eof) {

    /**
     * @param keys whether the bytes are keys, which only a terminal takes
     * @param eof whether the input ends after the bytes
     */
    public record Written(byte[] bytes, boolean keys, boolean eof) {}

    public static Written parse(byte[] body) {
        return JsonBody.read(body, TaskInput.class).written();
    }

    public Written written() {
        return new Written(bytes(), keys != null, Boolean.TRUE.equals(eof));
    }

    private byte[] bytes() {
        List<String> given = Stream.of(
                        text == null ? "" : "text", base64 == null ? "" : "base64", keys == null ? "" : "keys")
                .filter(name -> !name.isEmpty())
                .toList();
        if (given.size() > 1) {
            throw Refusal.invalid(
                    given.get(1), "must not be given together with `" + given.getFirst() + "`", "Send one of them.");
        }
        if (text != null) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        if (keys != null) {
            return typed(keys);
        }
        if (base64 == null && !Boolean.TRUE.equals(eof)) {
            throw Refusal.invalid("text", "is missing", "Send one of text, base64 and keys, or eof alone.");
        }
        return base64 == null ? new byte[0] : decoded(base64);
    }

    private static byte[] decoded(String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw Refusal.invalid(
                    "base64", "is not base64: " + e.getMessage(), "Use the standard alphabet, with padding.");
        }
    }

    private static byte[] typed(List<String> keys) {
        if (keys.isEmpty()) {
            throw Refusal.invalid("keys", "is empty", "Name at least one key: " + Keys.NAMES + ".");
        }
        var bytes = new ByteArrayOutputStream();
        for (int i = 0; i < keys.size(); i++) {
            String at = "keys[" + i + "]";
            byte[] key = Keys.bytes(keys.get(i))
                    .orElseThrow(() -> Refusal.invalid(at, "is not a key", "Keys are: " + Keys.NAMES + "."));
            bytes.writeBytes(key);
        }
        return bytes.toByteArray();
    }
}
