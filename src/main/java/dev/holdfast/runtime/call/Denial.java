package dev.holdfast.runtime.call;

import dev.holdfast.policy.Verdict;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.task.Invocation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What somebody is told whose action the policy does not let happen. */
public final class Denial {
    private Denial() {}

    /** Of a command, or of lines for a shell. */
    public static Refusal of(Verdict verdict) {
        return refusal(
                "The policy denies",
                verdict,
                verdict.rule() != null && verdict.rule().startsWith("builtin.")
                        ? "Name a narrower target. Only `protections: false` in the policy file lifts this."
                        : "Do it another way, or ask who keeps the policy file.");
    }

    /** Of what is asked for and has no window to wait in. */
    public static Refusal unasked(String what, Verdict verdict, String hint) {
        return refusal("The policy leaves " + what + " to a person, and has nobody asked here:", verdict, hint);
    }

    private static Refusal refusal(String says, Verdict verdict, String hint) {
        String words = words(verdict.words());
        Map<String, Object> details = details(words, verdict.rule(), verdict.reason());
        details.put("classes", verdict.classes());
        details.put("mode", verdict.mode());
        String reason = verdict.reason() == null ? "" : " " + verdict.reason();
        return new Refusal(
                ErrorKind.COMMAND_DENIED,
                says + " `" + words + "` (" + details.get("rule") + ")." + reason,
                hint,
                details);
    }

    /** As they may be shown. */
    public static String words(List<String> words) {
        return Diagnostics.summary(new Invocation.Program(words));
    }

    /** What every refusal of the kind tells. */
    public static Map<String, Object> details(String words, @Nullable String rule, @Nullable String reason) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("rule", rule == null ? "the default" : rule);
        if (reason != null) {
            details.put("reason", reason);
        }
        details.put("words", words);
        return details;
    }
}
