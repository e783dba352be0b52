package dev.holdfast.runtime.call;

import dev.holdfast.policy.Policy;
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

    /**
     * Of a command.
     *
     * @param whole what was judged: what is masked in it is so in the words that decided
     */
    public static Refusal of(Verdict verdict, Invocation whole) {
        return refusal("The policy denies", verdict, whole, hint(verdict.rule()));
    }

    /** Of lines for a shell. */
    public static Refusal ofInput(Verdict verdict, Invocation whole) {
        String together = " Lines of one command, as those of a here-document, are read together in one write.";
        return refusal("The policy denies", verdict, whole, hint(verdict.rule()) + together);
    }

    private static String hint(@Nullable String rule) {
        return switch (rule) {
            case Policy.UNREAD -> "Write it to a file, and run that.";
            case Policy.FORK_BOMB -> "Have the function call itself once, and wait for what it starts.";
            case Policy.BROKEN -> "Mend the policy file, or have who keeps it do so. Until then nothing runs.";
            case String builtin
            when Policy.isBuiltin(builtin) ->
                "Name a narrower target. Only `protections: false` in the policy file lifts this.";
            case null, default -> "Do it another way, or ask who keeps the policy file.";
        };
    }

    /** Of what is asked for and has no window to wait in. */
    public static Refusal unasked(String what, Verdict verdict, Invocation whole, String hint) {
        return refusal("The policy leaves " + what + " to a person, and has nobody asked here:", verdict, whole, hint);
    }

    private static Refusal refusal(String says, Verdict verdict, Invocation whole, String hint) {
        List<String> shown = Diagnostics.maskedAsIn(whole).apply(verdict.words());
        String words = words(shown);
        String rule = verdict.rule() == null ? "the default" : verdict.rule();
        Map<String, Object> details = details(shown, verdict.rule(), verdict.reason());
        details.put("classes", verdict.classes());
        details.put("mode", verdict.mode());
        String reason = verdict.reason() == null ? "" : " " + verdict.reason();
        return new Refusal(ErrorKind.COMMAND_DENIED, says + " `" + words + "` (" + rule + ")." + reason, hint, details);
    }

    /** As they may be shown. */
    public static String words(List<String> words) {
        return Diagnostics.summary(new Invocation.Program(words));
    }

    /** What every refusal of the kind tells; no rule: the default. */
    public static Map<String, Object> details(List<String> words, @Nullable String rule, @Nullable String reason) {
        Map<String, Object> details = new LinkedHashMap<>();
        if (rule != null) {
            details.put("rule", rule);
        }
        if (reason != null) {
            details.put("reason", reason);
        }
        details.put("words", Diagnostics.masked(words));
        return details;
    }
}
