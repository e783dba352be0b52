package dev.holdfast.runtime.start;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.Audit;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.call.Threads;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.runtime.start.Approval.Decided;
import dev.holdfast.runtime.start.Approval.State;
import dev.holdfast.runtime.start.StartRequest.DuplicatePolicy;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * What is asked and what was answered, in memory and in files that outlive the server. An answer is on disk before
 * anything comes of it. Thread-safe.
 */
@Singleton
public final class Approvals {
    /** So many may wait at once; one more is refused. */
    static final int MOST_PENDING = 256;
    /** So many that were answered are kept. */
    private static final int MOST_ANSWERED = 1000;

    private static final Logger LOG = Logger.getLogger(Approvals.class);

    private final ApprovalFiles files;
    private final Duration expire;
    private final Duration kept;
    private final Audit audit;
    private final TaskIds ids;
    private final InstantSource clock;
    private final Map<String, Question> all = new ConcurrentHashMap<>();
    private final List<Consumer<Approval>> listeners = new CopyOnWriteArrayList<>();

    public Approvals(HoldfastConfig config, Audit audit, TaskIds ids, InstantSource clock) {
        this.files = new ApprovalFiles(config.dataDir().resolve("approvals"));
        this.expire = config.approvals().expire();
        this.kept = config.retention().age();
        this.audit = audit;
        this.ids = ids;
        this.clock = clock;
    }

    /** Reads what a former server kept: what can't be started any more is expired. To be called once, first. */
    void restore() {
        for (Approval approval : files.all(audit::answered)) {
            Question question = new Question(approval);
            all.put(approval.id(), question);
            audit.goOnWith(approval.beginsAs(), approval.decidedAt());
            String lost = approval.lostWithServer();
            if (approval.state() == State.PENDING && lost != null) {
                expire(question, lost);
            } else if (approval.state() == State.PENDING) {
                expireLater(question);
            }
        }
        sweep();
    }

    private void expireLater(Question question) {
        Instant end = question.approval.asked().expiresAt();
        var _ = Threads.after(Duration.between(clock.instant(), end).plusMillis(1), () -> asItStands(question));
    }

    /** @param listener told of each new state, on the thread that makes it: hand over, do not block */
    public void listen(Consumer<Approval> listener) {
        listeners.add(listener);
    }

    /**
     * Asks, and waits for the answer.
     *
     * @param wait at most, and no longer than the caller of this thread does
     * @param withdrawn why nobody is to answer it any more after that, and nothing starts; null: it stays open
     * @return as it stands then; pending: it is started by whoever allows it
     * @throws Refusal {@code capacity_exhausted}, {@code invalid_tool_input} or {@code storage_full}: nobody was asked
     */
    Approval ask(Asking asking, Duration wait, @Nullable String withdrawn) {
        Question question = question(asking, withdrawn != null);
        if (Asker.OF_CALLER.isBound() && !question.answered.isDone()) {
            Asker.OF_CALLER.get().ask(question.approval);
        }
        Patience.awaitForCaller(question.answered, wait);
        synchronized (question) {
            question.waiting--;
            if (withdrawn != null && question.approval.state() == State.PENDING && question.waiting == 0) {
                expire(question, withdrawn);
            }
            return question.approval;
        }
    }

    /** @throws Refusal {@code idempotency_key_reused} */
    void refuseOtherBody(Launch.Idempotency idempotency) {
        all.values().forEach(question -> question.refuseOtherBody(idempotency));
    }

    /** A new one; or the same command's, where that is asked for already. */
    private synchronized Question question(Asking asking, boolean endsWithCaller) {
        if (asking.request().duplicatePolicy() == DuplicatePolicy.REUSE_RUNNING || asking.idempotency() != null) {
            for (Question question : all.values()) {
                if (question.joins(asking, endsWithCaller)) {
                    return question;
                }
            }
        }
        sweep();
        long pending = all.values().stream()
                .filter(question -> question.approval.state() == State.PENDING)
                .count();
        if (pending >= MOST_PENDING) {
            throw Question.oneTooMany(pending);
        }
        Question.requireReadable(asking);
        Question question = new Question(Approval.of(nextId(), asking, clock.instant(), expire, endsWithCaller));
        question.waiting = 1;
        synchronized (question) { // the answer is told after the question
            files.keep(question.approval);
            all.put(question.approval.id(), question);
            tell(question.approval);
        }
        expireLater(question);
        return question;
    }

    /**
     * Answers it, once.
     *
     * @param first done before it is answered; when it throws, it is not
     * @return whether somebody waits for it, who starts it then; if not, it is the caller's to start
     * @throws Refusal {@code approval_not_found} or {@code approval_decided}
     */
    boolean decide(String id, boolean allow, Actor by, @Nullable String reason, Runnable first) {
        Question question = find(id, by);
        synchronized (question) {
            expireIfDue(question);
            if (question.approval.state() != State.PENDING) {
                throw question.approval.answeredAlready();
            }
            settle(question, allow ? State.ALLOWED : State.DENIED, by.name(), reason, first);
            return question.waiting > 0;
        }
    }

    /** What was allowed has begun. */
    void begun(String id, @Nullable TaskId task) {
        change(id, approval -> approval.begun(task));
    }

    /** What was allowed could not be started. */
    void refused(String id, Refusal why) {
        change(id, approval -> approval.refused(why));
    }

    private void change(String id, UnaryOperator<Approval> change) {
        Question question = all.get(id);
        if (question != null) {
            synchronized (question) {
                Approval before = question.approval;
                question.become(change.apply(before));
                files.keepIfPossible(question.approval);
                if (!question.approval.cameToTheSame(before)) {
                    tell(question.approval);
                }
            }
        }
    }

    /** Allowed by a former server, which ended before it was started. */
    List<Approval> notBegun() {
        return all.values().stream()
                .map(question -> question.approval)
                .filter(approval -> approval.state() == State.ALLOWED && !approval.isOver())
                .toList();
    }

    /** The id of what it starts: the one that its file has, and for who waits beside for the same another. */
    TaskId taskOf(Approval approval) {
        return Optional.ofNullable(all.get(approval.id()))
                .flatMap(Question::takeTask)
                .orElseGet(ids::next);
    }

    /** @throws Refusal {@code approval_not_found}, also of another agent's */
    public Approval get(String id, Actor who) {
        return get(id, who, Duration.ZERO);
    }

    /** The same, once it was answered and what was allowed has begun, or after that wait. */
    public Approval get(String id, Actor who, Duration wait) {
        Question question = find(id, who);
        Patience.await(question.over, wait); // not under its lock
        return asItStands(question);
    }

    private Approval asItStands(Question question) {
        synchronized (question) {
            expireIfDue(question);
            return question.approval;
        }
    }

    /** Newest first, of all states where that is null. */
    public List<Approval> list(@Nullable State state, Actor who) {
        return all.values().stream()
                .map(this::asItStands)
                .filter(approval -> approval.isSeenBy(who))
                .filter(approval -> state == null || approval.state() == state)
                .sorted(Comparator.comparing(Approval::id).reversed())
                .toList();
    }

    /** Forgets what was answered long ago, and the oldest of more than may be kept. */
    private void sweep() {
        Instant oldest = clock.instant().minus(kept);
        List<Approval> answered = all.values().stream()
                .map(Question::current)
                .filter(approval -> approval.outcome().decided() != null)
                .sorted(Comparator.comparing(Approval::decidedAt))
                .toList();
        int tooMany = answered.size() - MOST_ANSWERED;
        for (Approval approval : answered) {
            boolean doomed = tooMany-- > 0 && approval.isOver();
            if ((doomed || approval.decidedAt().isBefore(oldest)) && files.forget(approval.id())) {
                all.remove(approval.id());
            }
        }
    }

    private Question find(String id, Actor who) {
        return Optional.ofNullable(all.get(id))
                .filter(question -> question.approval.isSeenBy(who))
                .orElseThrow(() -> Question.none(id));
    }

    private String nextId() {
        return "approval_" + ids.next().value().substring("task_".length());
    }

    private void expireIfDue(Question question) {
        if (question.approval.state() == State.PENDING
                && !clock.instant().isBefore(question.approval.asked().expiresAt())) {
            expire(question, "Nobody answered in time.");
        }
    }

    /** Nothing comes of it any more, whether that can be put down or not: a server that starts does it again. */
    private void expire(Question question, String why) {
        Approval next = question.approval.decided(State.EXPIRED, new Decided(Actor.SYSTEM, clock.instant(), why), null);
        audit.expired(next.asked().rule(), next.asked().classes(), next.preview(), next.id());
        files.keepIfPossible(next);
        settled(question, next);
    }

    private void settle(Question question, State state, String by, @Nullable String reason, Runnable first) {
        TaskId task = state == State.ALLOWED ? ids.next() : null;
        Approval next = question.approval.decided(state, new Decided(by, clock.instant(), reason), task);
        first.run();
        Runnable told = () -> audit.approval(
                by, next.answered(), next.asked().rule(), next.asked().classes(), next.preview(), next.id());
        files.keep(next, told);
        settled(question, next);
    }

    private void settled(Question question, Approval next) {
        question.become(next);
        question.answered.complete(null);
        tell(next);
    }

    private void tell(Approval approval) {
        for (Consumer<Approval> listener : listeners) {
            try {
                listener.accept(approval);
            } catch (RuntimeException failure) {
                LOG.errorf(failure, "Somebody was not told of %s", approval);
            }
        }
    }
}
