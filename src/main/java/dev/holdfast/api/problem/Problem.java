package dev.holdfast.api.problem;

import dev.holdfast.message.view.Json;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import java.util.Locale;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

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
    public static final String MEDIA_TYPE = "application/problem+json";

    private static final String RETRY_SECONDS = "2";

    public static Problem of(Refusal refusal) {
        Map<String, String> headers = switch (refusal.kind()) {
            case CAPACITY_EXHAUSTED -> Map.of("Retry-After", RETRY_SECONDS);
            case UNAUTHORIZED -> Map.of("WWW-Authenticate", "Bearer");
            default -> Map.of();
        };
        ErrorKind kind = refusal.kind();
        return new Problem(
                kind.httpStatus(),
                kind.name().toLowerCase(Locale.ROOT),
                refusal.getMessage(),
                refusal.recoveryHint(),
                kind.retryable(),
                refusal.details(),
                headers);
    }

    public static Problem unauthorized() {
        return of(new Refusal(
                ErrorKind.UNAUTHORIZED,
                "The request carries no token, or not this server's.",
                "Send `Authorization: Bearer <token>`; the token is HOLDFAST_TOKEN, or in the file `token` of the data"
                        + " folder. In a browser: open what `holdfast console` prints."));
    }

    public static Problem forbidden(String detail, String hint) {
        return of(new Refusal(ErrorKind.FORBIDDEN, detail, hint));
    }

    public static Problem tooLarge(long limit) {
        return of(new Refusal(
                ErrorKind.PAYLOAD_TOO_LARGE,
                "The body is larger than " + limit + " bytes.",
                "Send less at once, or put it into a file and name the file.",
                Map.of("limit_bytes", limit)));
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

    /** A failure of HTTP itself, such as a path that is none. */
    public static Problem http(int status, String kind, String detail, String hint) {
        return http(status, kind, detail, hint, Map.of());
    }

    /** The same with headers of its own, as of a method that a path does not have. */
    public static Problem http(int status, String kind, String detail, String hint, Map<String, String> headers) {
        return new Problem(status, kind, detail, hint, false, Map.of(), headers);
    }

    /** As it is sent. */
    @Schema(name = "Problem", description = "A failure: `kind` is for programs, `recovery_hint` says what to do now")
    public record Document(
            @Schema(examples = "urn:holdfast:problem:task_not_found")
            String type,

            @Schema(examples = "Task not found") String title,

            @Schema(examples = "404") int status,

            @Schema(description = "What is wrong, a sentence")
            String detail,

            @Schema(description = KINDS) String kind,

            @Schema(description = "What to do now, a sentence")
            String recoveryHint,

            @Schema(description = "Whether the same request may succeed later")
            boolean retryable,

            @Schema(description = "What a program may want to know, by kind")
            Map<String, Object> details) {
        private static final String KINDS = "invalid_tool_input, workdir_not_found, command_spawn_failed,"
                + " sandbox_unavailable, unauthorized, forbidden, command_denied, approval_not_found,"
                + " token_not_found, tokens_unusable,"
                + " approval_decided, task_not_found, task_not_running, task_running, input_not_accepted,"
                + " input_not_consumed, not_a_terminal, idempotency_key_reused, cursor_expired, payload_too_large,"
                + " capacity_exhausted, storage_full, internal; and of HTTP itself not_found, method_not_allowed,"
                + " tool_not_found, unsupported_media_type, range_not_satisfiable, upgrade_required";
    }

    public byte[] json() {
        String words = kind.replace('_', ' ');
        String title = Character.toUpperCase(words.charAt(0)) + words.substring(1);
        return Json.bytes(new Document(
                "urn:holdfast:problem:" + kind, title, status, detail, kind, recoveryHint, retryable, details));
    }
}
