package dev.holdfast.message.body;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.holdfast.policy.PatternSize;
import dev.holdfast.runtime.call.Refusal;

/**
 * Regular expressions of callers: RE2's, whose matching time is linear in the text; {@code ^} and {@code $} are a
 * line's.
 */
public final class Patterns {
    /** Characters. */
    public static final int MAX_LENGTH = 10_000;

    private Patterns() {}

    /**
     * @param field its name, for the refusal
     * @throws Refusal {@code invalid_tool_input}: empty, too long, or none
     */
    public static Pattern compile(String field, String regex) {
        if (regex.isEmpty() || regex.length() > MAX_LENGTH) {
            throw Refusal.invalid(
                    field,
                    "must have 1 to " + MAX_LENGTH + " characters",
                    regex.isEmpty()
                            ? "Say what to look for, as a regular expression in RE2 syntax."
                            : "Send a shorter regular expression in RE2 syntax.");
        }
        if (PatternSize.of(regex) > PatternSize.MOST) {
            throw Refusal.invalid(
                    field,
                    "repeats more than " + PatternSize.MOST + " characters, written out",
                    "Send a regular expression with smaller counted repeats, or `*` and `+`.");
        }
        try {
            return Pattern.compile(regex, Pattern.MULTILINE);
        } catch (PatternSyntaxException e) {
            throw Refusal.invalid(
                    field,
                    "is no regular expression: " + e.getDescription() + ": `" + part(e, regex) + "`",
                    "The syntax is RE2's: no back-references and no look-around; escape \\ once more inside JSON.");
        } catch (StackOverflowError e) {
            throw Refusal.invalid(
                    field, "is nested too deeply", "Send a regular expression with fewer groups within groups.");
        }
    }

    /** Of what was sent: a line's ends are the library's own words for it. */
    private static String part(PatternSyntaxException e, String regex) {
        return e.getPattern().endsWith(regex) ? regex : e.getPattern();
    }
}
