package dev.holdfast.api.problem;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.holdfast.api.view.Json;
import dev.holdfast.runtime.ErrorKind;
import dev.holdfast.runtime.Refusal;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;

/**
 * A failure as its caller sees it, RFC 9457.
 *
 * @param kind what a program branches on; those of {@link ErrorKind} and a few of HTTP's own
 * @param detail what is wrong, a sentence
 * @param recoveryHint what to do now, a sentence
 * @param headers that go with it
 */
public record Problem(
        int status,
        String kind,
        String detail,
        String recoveryHint,
        boolean retryable,
        Map<String, Object> details,
        Map<String, String> headers) {
    /** The media type of {@link #json()}. */
    public static final String MEDIA_TYPE = "application/problem+json";

    private static final String RETRY_SECONDS = "2";

    public static Problem of(Refusal refusal) {
        Map<String, String> headers = switch (refusal.kind()) {
            case CAPACITY_EXHAUSTED -> Map.of("Retry-After", RETRY_SECONDS);
            case UNAUTHORIZED -> Map.of("WWW-Authenticate", "Bearer");
            default -> Map.of();
        };
        return of(refusal.kind(), refusal.getMessage(), refusal.recoveryHint(), refusal.details(), headers);
    }

    private static Problem of(
            ErrorKind kind, String detail, String hint, Map<String, Object> details, Map<String, String> headers) {
        String name = kind.name().toLowerCase(Locale.ROOT);
        return new Problem(kind.httpStatus(), name, detail, hint, kind.retryable(), details, headers);
    }

    public static Problem unauthorized() {
        return of(
                ErrorKind.UNAUTHORIZED,
                "The request carries no token, or not this server's.",
                "Send `Authorization: Bearer <token>`; the token is HOLDFAST_TOKEN, or in the file `token` of the data"
                        + " folder.",
                Map.of(),
                Map.of("WWW-Authenticate", "Bearer"));
    }

    public static Problem forbidden(String detail, String hint) {
        return of(ErrorKind.FORBIDDEN, detail, hint, Map.of(), Map.of());
    }

    public static Problem tooLarge(long limit) {
        return of(
                ErrorKind.PAYLOAD_TOO_LARGE,
                "The body is larger than " + limit + " bytes.",
                "Send less at once, or put it into a file and name the file.",
                Map.of("limit_bytes", limit),
                Map.of());
    }

    /** @param reference that the log holds together with the cause */
    public static Problem internal(String reference) {
        return of(
                ErrorKind.INTERNAL,
                "Something went wrong in the server; its log says what under " + reference + ".",
                "Look the task up before you try again; report the reference if it stays.",
                Map.of("reference", reference),
                Map.of());
    }

    /** No byte of the range exists; {@code total} bytes do. */
    public static Problem outsideRange(long total) {
        return http(
                416,
                "range_not_satisfiable",
                "The stream has " + total + " bytes, and none of them is in that range.",
                "Ask for a range that begins before byte " + total + ", or wait for more with cursor and wait_ms.",
                Map.of("Content-Range", "bytes */" + total));
    }

    /** A failure of HTTP itself, such as a method that a path does not have. */
    public static Problem http(int status, String kind, String detail, String hint, Map<String, String> headers) {
        return new Problem(status, kind, detail, hint, false, Map.of(), headers);
    }

    private String title() {
        String words = kind.replace('_', ' ');
        return Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }

    public byte[] json() {
        return Json.bytes(this::write);
    }

    private void write(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("type", "urn:holdfast:problem:" + kind);
        json.writeStringField("title", title());
        json.writeNumberField("status", status);
        json.writeStringField("detail", detail);
        json.writeStringField("kind", kind);
        json.writeStringField("recovery_hint", recoveryHint);
        json.writeBooleanField("retryable", retryable);
        json.writeFieldName("details");
        StringBuilder text = new StringBuilder();
        Json.append(text, details);
        json.writeRawValue(text.toString());
        json.writeEndObject();
    }
}
