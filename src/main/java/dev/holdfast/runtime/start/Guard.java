package dev.holdfast.runtime.start;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.policy.Action;
import dev.holdfast.policy.Action.On;
import dev.holdfast.policy.Decision;
import dev.holdfast.policy.Policy;
import dev.holdfast.policy.Remembered;
import dev.holdfast.policy.Suggestion;
import dev.holdfast.policy.Verdict;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.runtime.Audit;
import dev.holdfast.runtime.call.Denial;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Sandbox;
import dev.holdfast.task.TaskId;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Holds commands to the policy while there is nothing of them yet. Thread-safe; may read the policy files. */
@Singleton
public record Guard(Policy policy, Remembered remembered, Audit audit, HoldfastConfig config) {
    /** Loads the grammar and the tables on a thread of its own: some 70 ms, for which the first command would wait. */
    void begin(@Observes @Priority(1) StartupEvent start) {
        Thread.ofPlatform()
                .name("first-decision")
                .daemon()
                .start(() -> policy.decide(Action.ofText(
                        "true \"$HOME\" | cat", Path.of("/"), Set.of(), Map.of(), Actor.OPERATOR, On.COMMAND)));
    }

    /** What the policy says of a command, and the pattern that a person may allow for longer where it asks. */
    record Ruling(Verdict verdict, @Nullable String suggested) {
        boolean asks() {
            return verdict.decision() == Decision.ASK;
        }
    }

    /**
     * @param env with its values
     * @param id the one it has if it is started
     * @param walled puts it behind the wall that it gets by what the policy says
     * @throws Refusal {@code command_denied}; {@code storage_full} when the decision cannot be told to the journal
     */
    Ruling check(
            CommandSpec command,
            Map<String, @Nullable String> env,
            Actor actor,
            TaskId id,
            Function<Verdict, CommandSpec> walled) {
        Action action = Action.of(command, actor, On.COMMAND, config.dataDir()).withValues(env);
        Verdict verdict = policy.decide(action);
        Verdict settled =
                remembered.settled(action, verdict, () -> walled.apply(verdict).sandbox());
        audit.decided(command, actor, settled, settled.decision() == Decision.ALLOW ? id : null, null);
        if (settled.decision() == Decision.DENY) {
            throw Denial.of(settled, command.invocation());
        }
        // Secret words would be shown, and kept, as they stand.
        boolean lasting = settled.decision() == Decision.ASK
                && !Policy.isBuiltin(verdict.rule())
                && !Diagnostics.holdsSecret(command.invocation());
        return new Ruling(settled, lasting ? Suggestion.of(action).orElse(null) : null);
    }

    /**
     * The least wall that the policy wants by now around a command that a person allowed, null for none.
     *
     * @param id the one it has if it is started
     * @throws Refusal {@code command_denied}, where that is what it says by now
     */
    @Nullable
    Sandbox checkAgain(CommandSpec command, Actor actor, Approval approval, TaskId id) {
        Verdict verdict = policy.decide(Action.of(command, actor, On.COMMAND, config.dataDir()));
        if (verdict.decision() == Decision.DENY) {
            audit.decided(command, actor, verdict, null, approval.id());
            throw Denial.of(verdict, command.invocation());
        }
        audit.decided(command, actor, verdict.allowed(), id, approval.allowedBy());
        return verdict.sandbox();
    }

    /** Why what a person allowed does not start all the same, told to the journal. */
    Refusal overtaken(Approval approval, String why, String hint) {
        audit.overtaken(approval.actor().name(), approval.asked().classes(), approval.preview(), approval.id());
        Map<String, Object> details = approval.refusalDetails(null, why);
        details.put("classes", approval.asked().classes());
        details.put("approval_id", approval.id());
        return new Refusal(ErrorKind.COMMAND_DENIED, why, hint, details);
    }

    /** Why what a person was asked about does not start. */
    static Refusal refusal(Approval approval) {
        boolean denied = approval.state() == Approval.State.DENIED;
        Approval.Decided decided = approval.outcome().decided();
        String said = decided == null || decided.reason() == null ? "" : " " + decided.reason();
        String words = approval.shownWords();
        Approval.Asked asked = approval.asked();
        Map<String, Object> details = approval.refusalDetails(asked.rule(), asked.reason());
        details.put("classes", asked.classes());
        details.put("approval_id", approval.id());
        return new Refusal(
                ErrorKind.COMMAND_DENIED,
                (denied ? "A person denied `" + words + "`." : "Nobody allowed `" + words + "`.") + said,
                denied ? "Do it another way, or ask the person why." : "Send it again to have it asked for anew.",
                details);
    }
}
