package dev.holdfast.policy;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.classes.CommandClass;
import dev.holdfast.task.Sandbox;
import java.util.List;
import java.util.Set;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What the policy says of an action, and why.
 *
 * @param sandbox the least wall that the rules which allow it want around it, null for none
 */
@Schema(name = "PolicyVerdict", description = "What the policy says of a command; nothing was started")
public record Verdict(
        @Schema(description = "The strictest of all its commands")
        Decision decision,

        @Schema(
                nullable = true,
                description = "The rule that decided: of the file, `builtin.…` or `mode.…`; null: the default",
                examples = "builtin.rm-root")
        @Nullable
        String rule,

        @Schema(nullable = true, description = "Null where no rule says one") @Nullable
        String reason,

        @Schema(
                description = "Of the command that decided, as the shell would have them",
                examples = "[\"rm\", \"-rf\", \"/\"]")
        List<String> words,

        @Schema(description = "What all its commands do together")
        Set<CommandClass> classes,

        Mode mode,
        List<Command> commands,

        @Schema(hidden = true) @JsonIgnore @Nullable Sandbox sandbox) {

    /** The same with all that asks lifted. */
    public Verdict allowed() {
        List<Command> lifted = commands.stream().map(Command::allowed).toList();
        return new Verdict(Decision.ALLOW, rule, reason, words, classes, mode, lifted, sandbox);
    }

    /** The words of each command that is judged as strictly as the whole, in their order. */
    public List<List<String>> deciding() {
        return commands.stream()
                .filter(command -> command.decision() == decision)
                .map(Command::words)
                .toList();
    }

    /** One of the simple commands. */
    @Schema(name = "PolicyCommand", description = "A simple command of the text")
    public record Command(
            List<String> words,
            Set<CommandClass> classes,
            Decision decision,
            @Schema(nullable = true) @Nullable String rule) {
        private Command allowed() {
            return new Command(words, classes, Decision.ALLOW, rule);
        }
    }
}
