package dev.holdfast.runtime.start;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.holdfast.policy.Verdict;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.policy.classes.CommandClass;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.runtime.call.Denial;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.CommandDiagnostics;
import dev.holdfast.task.Sandbox;
import dev.holdfast.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A command that a person is asked about, as its file keeps it: all side by side, in this order.
 *
 * @param id {@code approval_} and a ULID
 * @param actor who wants it
 * @param request what is started once it is allowed
 * @param key that makes sure that it is started once: its caller's, or one of its own
 * @param valuesLost whether values of its environment ended with the server that asked, so that it can't be started
 */
public record Approval(
        String id,
        State state,
        Actor actor,
        StartRequest request,
        Launch.Idempotency key,
        @JsonUnwrapped Asked asked,
        boolean valuesLost,
        @JsonUnwrapped Outcome outcome) {

    /**
     * What is asked, and why. It stays as it is.
     *
     * @param workdir where it would run, a real path
     * @param sandbox the wall it would run behind, null for none, and in what older servers wrote
     * @param digest what makes it the same as another one
     * @param words of the command that decided, as the shell would have them
     * @param deciding the same of each of its commands that decided alike; null in what older servers wrote
     * @param suggested the pattern that may be allowed for longer, null where none is safe
     * @param endsWithCaller whether its caller is told that nothing starts when nobody answers while he waits
     */
    public record Asked(
            String workdir,
            @Nullable Sandbox sandbox,
            String digest,
            List<String> words,
            @Nullable List<List<String>> deciding,
            Set<CommandClass> classes,
            @Nullable String rule,
            @Nullable String reason,
            @Nullable String suggested,
            Instant requestedAt,
            Instant expiresAt,
            boolean endsWithCaller) {}

    /**
     * What has come of it.
     *
     * @param decided null while nobody has answered
     * @param started whether what was allowed was begun, or refused
     * @param taskId the id of the task it became, null for none; of what was allowed and has not begun that which it
     *     gets
     * @param startError why it could not be started although it was allowed, null for nothing
     */
    public record Outcome(
            @Nullable Decided decided,
            boolean started,
            @Nullable String taskId,
            @Nullable String startError) {}

    static final String VALUES_LOST = "The values of its environment ended with the server.";

    /** Where it stands. */
    public enum State {
        PENDING,
        ALLOWED,
        DENIED,
        EXPIRED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** @param reason what the person says, null for nothing */
    public record Decided(String by, Instant at, @Nullable String reason) {}

    /**
     * @param expire how long an answer is waited for
     * @param endsWithCaller whether it is over when he waits no longer
     */
    static Approval of(String id, Asking asking, Instant now, Duration expire, boolean endsWithCaller) {
        Verdict verdict = asking.verdict();
        Launch.Idempotency idempotency = asking.idempotency();
        return new Approval(
                id,
                State.PENDING,
                asking.actor(),
                asking.request(),
                idempotency == null ? new Launch.Idempotency(id, asking.digest()) : idempotency,
                new Asked(
                        asking.command().workdir().toString(),
                        asking.command().sandbox(),
                        asking.digest(),
                        verdict.words(),
                        verdict.deciding(),
                        verdict.classes(),
                        verdict.rule(),
                        verdict.reason(),
                        asking.suggested(),
                        now,
                        now.plus(expire),
                        endsWithCaller),
                false,
                new Outcome(null, false, null, null));
    }

    /** Whether nothing more is to come of it: also not the start of what was allowed. */
    boolean isOver() {
        return state != State.PENDING && (state != State.ALLOWED || outcome.started);
    }

    /** Another agent's is none to an agent. */
    boolean isSeenBy(Actor who) {
        return who.role() != Role.AGENT || actor.name().equals(who.name());
    }

    /** What its caller is told while nobody has answered. */
    CommandAnswer answer(CommandDiagnostics diagnostics) {
        return new CommandAnswer.AwaitingApproval(
                id, asked.rule, asked.reason, asked.suggested, asked.expiresAt, diagnostics);
    }

    /** What who answers it again is told. */
    Refusal answeredAlready() {
        return new Refusal(
                ErrorKind.APPROVAL_DECIDED,
                id + " is " + state + " already.",
                "Look at it with GET /v1/approvals/" + id + ".",
                Map.of("decision", answered()));
    }

    /** As its answer and the journal have it. */
    String answered() {
        return switch (state) {
            case PENDING -> "ask";
            case ALLOWED -> "allow";
            case DENIED -> "deny";
            case EXPIRED -> "expire";
        };
    }

    /** By which approval and by whom, as the journal has it of what starts by it. */
    String allowedBy() {
        return outcome.decided == null ? id : id + " by " + outcome.decided.by();
    }

    /** Of its command, at most 240 characters, secrets masked. */
    public String preview() {
        return request.diagnostics().cmdPreview();
    }

    /** All of its command, secrets masked: who allows it allows that. */
    public String shown() {
        return Diagnostics.whole(request.invocation());
    }

    /** The words that decided, secrets masked. */
    public String shownWords() {
        return Denial.words(masked().apply(asked.words));
    }

    /** The words of each of its commands that decided alike, in their order, secrets masked. */
    public List<String> shownDeciding() {
        return (asked.deciding == null ? List.of(asked.words) : asked.deciding)
                .stream().map(masked()).map(Denial::words).toList();
    }

    /** As in the whole of its command. */
    private UnaryOperator<List<String>> masked() {
        return Diagnostics.maskedAsIn(request.invocation());
    }

    /** Why it is not allowed: what every such refusal tells. */
    Map<String, Object> refusalDetails(@Nullable String byRule, @Nullable String why) {
        return Denial.details(masked().apply(asked.words), byRule, why);
    }

    /** Why nobody can answer it any more whose server has ended, null for no reason. */
    @Nullable
    String lostWithServer() {
        return valuesLost ? VALUES_LOST : asked.endsWithCaller ? "Its caller's wait ended with the server." : null;
    }

    /** When it was answered; when it was asked, where it was not. */
    Instant decidedAt() {
        return outcome.decided == null ? asked.requestedAt : outcome.decided.at();
    }

    /** The id of what was allowed and has not begun; null where there is none. */
    @Nullable
    TaskId beginsAs() {
        String task = outcome.started ? null : outcome.taskId;
        return task == null ? null : TaskId.parse(task).orElse(null);
    }

    /** The task it became, null for none. */
    public @Nullable String became() {
        return outcome.started ? outcome.taskId : null;
    }

    /** Whether what was allowed became the same, or could not be started either. */
    boolean cameToTheSame(Approval other) {
        return Objects.equals(became(), other.became()) && Objects.equals(outcome.startError, other.outcome.startError);
    }

    /** @param task the id of what is allowed by it, null for nothing */
    Approval decided(State next, Decided by, @Nullable TaskId task) {
        return with(next, new Outcome(by, false, task == null ? null : task.value(), null));
    }

    /** Of several who waited for it, one may be told of its task and another of its end: it keeps its task. */
    Approval begun(@Nullable TaskId task) {
        return with(state, new Outcome(outcome.decided, true, task == null ? became() : task.value(), null));
    }

    Approval refused(Refusal why) {
        return with(state, new Outcome(outcome.decided, true, null, why.getMessage()));
    }

    private Approval with(State next, Outcome came) {
        return new Approval(id, next, actor, request, key, asked, valuesLost, came);
    }

    /** As it may be kept: values of an environment are nowhere written. */
    Approval withoutValues() {
        boolean has = request.env().values().stream().anyMatch(value -> value != null);
        return new Approval(id, state, actor, request.keepable(), key, asked, valuesLost || has, outcome);
    }

    /** Shown without its request, whose environment holds secrets. */
    @Override
    public String toString() {
        return "Approval[" + id + ", " + state + "]";
    }
}
