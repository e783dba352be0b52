package dev.holdfast.runtime.start;

import dev.holdfast.policy.Remembered;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.runtime.Starter;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.call.Remedy;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Objects;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** What a person answers, and what comes of it. Thread-safe. */
@Singleton
public record Decisions(
        Approvals approvals, Commands commands, Starter starter, Remembered remembered, InstantSource clock) {
    private static final Logger LOG = Logger.getLogger(Decisions.class);

    /** For how long an answer holds. */
    public enum Remember {
        ONCE,
        /** Until the server ends. */
        SESSION,
        ALWAYS
    }

    /** @param reason for who asked, null for none */
    public record Answer(
            boolean allow, Remember remember, @Nullable String reason) {}

    /**
     * Reads what was asked before, and starts what was allowed and had not begun. Once, when commands can be started.
     */
    public void begin() {
        approvals.restore();
        approvals.notBegun().forEach(this::startSafely);
    }

    /**
     * Answers an approval, and starts its command as a task where nobody waits for it any more.
     *
     * @throws Refusal {@code forbidden}, {@code approval_not_found}, {@code approval_decided}; {@code
     *     capacity_exhausted} or {@code storage_full}: it is not answered; or why what was allowed could not be started
     */
    public Approval decide(String id, Answer answer, Actor by) {
        if (by.role() != Role.OPERATOR) {
            throw new Refusal(
                    ErrorKind.FORBIDDEN,
                    "Only an operator answers approvals.",
                    "Have somebody answer it who has the server's own token.");
        }
        boolean remembers = answer.allow() && answer.remember() != Remember.ONCE;
        Approval approval = askedFor(id, by, remembers);
        if (remembers && answer.remember() == Remember.ALWAYS) {
            requireWell();
        }
        Remembered.Entry entry = remembers ? entry(approval, by) : null;
        Runnable first = () -> {
            if (answer.allow()) {
                starter.requireRoom(); // else it would be allowed, and never start
            }
            if (entry != null) {
                remember(entry, answer.remember());
            }
        };
        boolean waitedFor = decided(id, answer, by, first, entry);
        if (answer.allow() && !waitedFor) {
            commands.startAllowed(approvals.get(id, by));
        }
        return approvals.get(id, by);
    }

    private boolean decided(String id, Answer answer, Actor by, Runnable first, Remembered.@Nullable Entry entry) {
        try {
            return approvals.decide(id, answer.allow(), by, answer.reason(), first);
        } catch (RuntimeException notTaken) {
            if (entry != null) {
                remembered.forget(entry);
            }
            throw notTaken;
        }
    }

    private Approval askedFor(String id, Actor by, boolean toRemember) {
        Approval approval = approvals.get(id, by);
        if (approval.state() != Approval.State.PENDING) {
            throw approval.answeredAlready();
        }
        if (toRemember && approval.asked().suggested() == null) {
            throw Refusal.invalid(
                    "remember",
                    "can only be `once` here: no pattern of words is safe for this command, or it would keep a secret",
                    "Allow it once, or write a rule into the policy file.");
        }
        return approval;
    }

    private void requireWell() {
        remembered.flaws().forEach((file, flaw) -> {
            throw Refusal.invalid(
                    "remember",
                    "can't be `always`, and nothing was decided: " + file + " can't be used. " + flaw,
                    "Mend or remove that file; or allow it `once`, or for the `session`.");
        });
    }

    private Remembered.Entry entry(Approval approval, Actor by) {
        return new Remembered.Entry(
                approval.actor().name(),
                Objects.requireNonNull(approval.asked().suggested()),
                approval.asked().classes(),
                approval.request().env().keySet(),
                approval.asked().sandbox(),
                by.name(),
                clock.instant().toString());
    }

    /** @throws Refusal {@code storage_full}: it is not remembered, and so the answer is not taken */
    private void remember(Remembered.Entry entry, Remember how) {
        try {
            remembered.remember(entry, how == Remember.ALWAYS);
        } catch (IOException failure) {
            throw new Refusal(
                    ErrorKind.STORAGE_FULL,
                    "approved.yaml in the data folder can't be written (" + failure.getMessage()
                            + "), so nothing was decided.",
                    Remedy.of(
                            failure.toString(),
                            "Free space in the data folder, then answer again; or allow it `once`, or for the `session`."));
        }
    }

    private void startSafely(Approval approval) {
        try {
            commands.startAllowed(approval);
        } catch (RuntimeException failure) {
            LOG.warnf("%s was allowed and could not be started: %s", approval.id(), failure.getMessage());
        }
    }
}
