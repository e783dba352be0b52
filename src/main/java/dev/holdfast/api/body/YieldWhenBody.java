package dev.holdfast.api.body;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.holdfast.runtime.StartRequest.YieldWhen;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The field {@code yield_when}: conditions that end the window early. */
final class YieldWhenBody {
    private static final Set<String> KNOWN = Set.of("output_matches", "port_open", "idle_ms", "needs_input");
    private static final int MAX_PORT = 65_535;
    private static final int MAX_PATTERN = 10_000;

    private YieldWhenBody() {}

    static YieldWhen read(Fields body) {
        Fields fields = body.object("yield_when", KNOWN);
        if (fields == null) {
            return YieldWhen.NONE;
        }
        return new YieldWhen(
                pattern(fields),
                fields.whole("port_open", 1, MAX_PORT),
                fields.millis("idle_ms", 1, StartBody.MAX_YIELD_MS),
                needsInput(fields));
    }

    private static boolean needsInput(Fields fields) {
        if (fields.has("needs_input") && !fields.flag("needs_input", false)) {
            throw fields.refusal("needs_input", "can only be true", "Leave it out when it is no condition.");
        }
        return fields.has("needs_input");
    }

    private static @Nullable Pattern pattern(Fields fields) {
        String regex = fields.text("output_matches");
        if (regex == null) {
            return null;
        }
        if (regex.isEmpty() || regex.length() > MAX_PATTERN) {
            throw fields.refusal(
                    "output_matches",
                    "must have 1 to " + MAX_PATTERN + " characters",
                    "Send a shorter regular expression in RE2 syntax.");
        }
        try {
            return Pattern.compile(regex, Pattern.MULTILINE);
        } catch (PatternSyntaxException e) {
            throw fields.refusal(
                    "output_matches",
                    "is no regular expression: " + e.getMessage(),
                    "The syntax is RE2's: no back-references and no look-around; escape \\ once more inside JSON.");
        }
    }
}
