package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.LONG;
import static dev.holdfast.runtime.RuntimeFixture.inBackground;
import static dev.holdfast.runtime.RuntimeFixture.sh;
import static dev.holdfast.runtime.RuntimeFixture.soon;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.Journal.Action;
import dev.holdfast.runtime.port.Journal.Line;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.runtime.start.Approval;
import dev.holdfast.runtime.start.Approval.State;
import dev.holdfast.runtime.start.Asker;
import dev.holdfast.runtime.start.BatchAnswer;
import dev.holdfast.runtime.start.BatchRequest;
import dev.holdfast.runtime.start.Decisions.Answer;
import dev.holdfast.runtime.start.Decisions.Remember;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.runtime.start.StartRequest.DuplicatePolicy;
import dev.holdfast.runtime.start.StartRequest.YieldWhen;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.CommandAnswer.AlreadyRunning;
import dev.holdfast.task.CommandAnswer.AwaitingApproval;
import dev.holdfast.task.Sandbox;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An answer, its caller's window and the end of the server, in every order. */
class ApprovalRacesTest {
    private static final Answer ALLOW = new Answer(true, Remember.ONCE, null);

    @TempDir
    Path dataDir;

    @AutoClose
    private RuntimeFixture runtime;

    @BeforeEach
    void open() throws IOException {
        Files.writeString(dataDir.resolve("policy.yaml"), "version: 1\ndefault: ask\n");
        runtime = new RuntimeFixture(dataDir);
    }

    private Approval only() {
        return soon().until(() -> runtime.approvals.list(null, Actor.OPERATOR), all -> all.size() == 1)
                .getFirst();
    }

    /** Whether its caller starts it or who allows it: it is started, and once. */
    @RepeatedTest(50)
    void anAnswerAtTheCloseOfTheWindowStartsOne() throws Exception {
        CompletableFuture<CommandAnswer> answer = runtime.start(sh("a", Duration.ofMillis(2)));
        String id = only().id();
        CompletableFuture<Approval> decided =
                RuntimeFixture.inBackground(() -> runtime.decisions.decide(id, ALLOW, Actor.OPERATOR));

        FakeCommand command = runtime.host.next();
        decided.get(20, SECONDS);
        answer.get(20, SECONDS);

        soon().until(() -> runtime.approvals.get(id, Actor.OPERATOR).outcome().started());
        assertThat(runtime.host.waiting()).isZero();
        command.exits(0);
    }

    /** Who hears of the answer and asks for the same again at once is not asked again. */
    @Test
    void whatIsRememberedHoldsWhenItsAnswerIsTold() throws Exception {
        CompletableFuture<CommandAnswer> first = runtime.start(sh("mkdir a", Duration.ofSeconds(20)));
        var again = new AtomicReference<CompletableFuture<CommandAnswer>>();
        runtime.approvals.listen(approval -> {
            if (approval.state() == State.ALLOWED && again.get() == null) {
                again.set(runtime.start(sh("mkdir b", Duration.ofSeconds(20))));
                soon().until(() -> runtime.host.waiting() > 0);
            }
        });

        runtime.decisions.decide(only().id(), new Answer(true, Remember.SESSION, null), Actor.OPERATOR);

        runtime.host.next().exits(0);
        runtime.host.next().exits(0);
        first.get(20, SECONDS);
        again.get().get(20, SECONDS);
        assertThat(runtime.approvals.list(null, Actor.OPERATOR)).hasSize(1);
    }

    /** Less is within its reach behind it. */
    @Test
    void whatIsRememberedBehindAWallIsAskedForWithoutOne() throws Exception {
        runtime.start(behindAWall(sh("mkdir a", Duration.ZERO))).get(20, SECONDS);
        runtime.decisions.decide(only().id(), new Answer(true, Remember.SESSION, null), Actor.OPERATOR);
        runtime.host.next().exits(0);

        assertThat(runtime.start(sh("mkdir b", Duration.ZERO)).get(20, SECONDS)).isInstanceOf(AwaitingApproval.class);
        assertThat(runtime.start(behindAWall(sh("mkdir b", Duration.ZERO))).get(20, SECONDS))
                .isNotInstanceOf(AwaitingApproval.class);
        runtime.host.next().exits(0);
    }

    private static StartRequest behindAWall(StartRequest request) {
        return with(request, request.env(), new StartRequest.Wall(StartRequest.Wall.Choice.WORKSPACE_WRITE, null));
    }

    private static StartRequest with(StartRequest request, Map<String, @Nullable String> env, StartRequest.Wall wall) {
        return new StartRequest(
                request.what(),
                request.workdir(),
                request.terminal(),
                request.acceptsInput(),
                request.duplicatePolicy(),
                request.yieldTime(),
                request.yieldWhen(),
                request.maxOutputTokens(),
                env,
                request.timeout(),
                request.idleTimeout(),
                request.onExit(),
                request.labels(),
                wall,
                request.endsWithCaller(),
                request.plain());
    }

    /** The wall is part of what was looked at. */
    @Test
    void whatWasAllowedKeepsItsWallWhenItsTokenHasNone() throws Exception {
        Files.writeString(
                dataDir.resolve("tokens.yaml"),
                "tokens: [{name: hasty, role: agent, sha256: " + "a".repeat(64) + "}]\n");
        runtime = runtime.restarted();
        Sandbox wall = new Sandbox(Sandbox.Files.READ_ONLY, false);
        runtime.actor = new Actor("hasty", Role.AGENT, Map.of(), Mode.OPEN, wall);
        runtime.start(sh("a", Duration.ZERO)).get(20, SECONDS);

        runtime.decisions.decide(only().id(), ALLOW, Actor.OPERATOR);

        FakeCommand command = runtime.host.next();
        assertThat(runtime.live
                        .find(command.id())
                        .orElseThrow()
                        .task()
                        .command()
                        .sandbox())
                .isEqualTo(wall);
        command.exits(0);
    }

    /** Of those who allow it at once, with nobody who waits, one does and starts it. */
    @RepeatedTest(20)
    void ofManyWhoAllowItOneStartsIt() throws Exception {
        runtime.start(sh("a", Duration.ZERO)).get(20, SECONDS);
        String id = only().id();
        List<CompletableFuture<Boolean>> all = Stream.generate(() -> RuntimeFixture.inBackground(() -> {
                    try {
                        runtime.decisions.decide(id, ALLOW, Actor.OPERATOR);
                        return true;
                    } catch (Refusal decided) {
                        return decided.kind() != ErrorKind.APPROVAL_DECIDED;
                    }
                }))
                .limit(6)
                .toList();

        FakeCommand command = runtime.host.next();
        List<Boolean> won = new ArrayList<>();
        for (CompletableFuture<Boolean> one : all) {
            won.add(one.get(20, SECONDS));
        }

        assertThat(won).containsOnlyOnce(true);
        assertThat(runtime.host.waiting()).isZero();
        command.exits(0);
    }

    /** Two ask for the same, and it has ended before the second goes on. */
    @Test
    void whatIsAllowedOnceRunsOnceForTwoWhoWait() throws Exception {
        CompletableFuture<CommandAnswer> first = runtime.start(sh("a", RuntimeFixture.LONG));
        String id = only().id();
        CompletableFuture<Void> goesOn = new CompletableFuture<>();
        CompletableFuture<CommandAnswer> second = joined(goesOn);

        runtime.decisions.decide(id, ALLOW, Actor.OPERATOR);
        runtime.host.next().exits(3);
        CommandAnswer answer = first.get(20, SECONDS);
        goesOn.complete(null);

        assertThat(second.get(20, SECONDS)).isEqualTo(answer);
        assertThat(runtime.host.waiting()).isZero();
    }

    /** The second hears of a task, and the first of its end. */
    @Test
    void anApprovalKeepsItsTask() throws Exception {
        CompletableFuture<CommandAnswer> first = runtime.start(sh("a", RuntimeFixture.LONG));
        String id = only().id();
        CompletableFuture<Void> goesOn = new CompletableFuture<>();
        CompletableFuture<CommandAnswer> second = joined(goesOn);

        runtime.decisions.decide(id, ALLOW, Actor.OPERATOR);
        FakeCommand command = runtime.host.next();
        goesOn.complete(null);
        assertThat(second.get(20, SECONDS)).isInstanceOf(AlreadyRunning.class);
        command.exits(0);
        first.get(20, SECONDS);

        assertThat(only().became()).isEqualTo(command.id().value());
    }

    /** One more who asks for the same and counts among those who wait; it hears of the answer when it may go on. */
    private CompletableFuture<CommandAnswer> joined(CompletableFuture<Void> goesOn) throws Exception {
        CompletableFuture<Approval> joined = new CompletableFuture<>();
        Asker slow = asked -> {
            joined.complete(asked);
            goesOn.join();
        };
        CompletableFuture<CommandAnswer> answer = RuntimeFixture.inBackground(() ->
                slow.during(() -> runtime.commands.start(sh("a", RuntimeFixture.LONG), null)));
        joined.get(20, SECONDS);
        return answer;
    }

    /** What runs already is there to be taken, as where nobody is asked. */
    @Test
    void whatRunsIsNotAskedForAgain() throws Exception {
        runtime.start(sh("a", Duration.ZERO)).get(20, SECONDS);
        runtime.decisions.decide(only().id(), ALLOW, Actor.OPERATOR);
        FakeCommand command = runtime.host.next();

        CommandAnswer again = runtime.start(sh("a", Duration.ZERO)).get(20, SECONDS);

        assertThat(again)
                .isInstanceOfSatisfying(
                        AlreadyRunning.class,
                        same -> assertThat(same.task().id()).isEqualTo(command.id()));
        assertThat(runtime.approvals.list(State.PENDING, Actor.OPERATOR)).isEmpty();
        command.exits(0);
        soon().until(() -> runtime.tasks.find(command.id()).status().ended());
        assertThat(runtime.start(sh("a", Duration.ZERO)).get(20, SECONDS)).isInstanceOf(AwaitingApproval.class);
    }

    /** Nor what is about to: nobody would look at that question, and whoever has its key would keep it from beginning. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatWasAllowedIsNotAskedForAgainBeforeItBegins(boolean hasKey) throws Exception {
        Launch.Idempotency key = hasKey ? new Launch.Idempotency("k", "body") : null;
        runtime.commands.start(sh("a", Duration.ZERO), key);
        String id = only().id();
        runtime.steps.hold("journal").open();
        Steps.Hold beginning = runtime.steps.hold("journal");
        CompletableFuture<Approval> decided =
                RuntimeFixture.inBackground(() -> runtime.decisions.decide(id, ALLOW, Actor.OPERATOR));
        beginning.awaitReached();

        var again = new CompletableFuture<CommandAnswer>();
        Thread repeats = Thread.ofPlatform()
                .start(() -> again.complete(runtime.commands.start(sh("a", RuntimeFixture.LONG), key)));
        soon().until(() -> runtime.host.waiting() > 0 || repeats.getState() == Thread.State.WAITING);
        beginning.open();
        FakeCommand command = runtime.host.next();
        command.exits(3);

        assertThat(again.get(20, SECONDS)).isNotInstanceOf(AwaitingApproval.class);
        assertThat(decided.get(20, SECONDS).id()).isEqualTo(only().id());
        assertThat(runtime.host.waiting()).isZero();
        if (hasKey) {
            assertThat(allowed()).containsExactly(command.id());
        }
    }

    /** Nor for one that nobody would be asked about. */
    @Test
    void aKeyThatWaitsForAnAnswerIsNotForAnotherBody() throws Exception {
        Files.writeString(
                dataDir.resolve("policy.yaml"),
                "version: 1\nrules: [{id: asks, match: {command: a}, decision: ask}]\n");
        runtime = runtime.restarted();
        assertThat(runtime.startOnce("key", sh("a", Duration.ZERO))).isInstanceOf(AwaitingApproval.class);

        assertThatThrownBy(() -> runtime.startOnce("key", sh("b", Duration.ZERO)))
                .isInstanceOfSatisfying(
                        Refusal.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.IDEMPOTENCY_KEY_REUSED));
        assertThat(runtime.host.waiting()).isZero();
        runtime.decisions.decide(only().id(), ALLOW, Actor.OPERATOR);

        FakeCommand command = runtime.host.next();
        assertThat(command.launch().command().invocation().text()).isEqualTo("a");
        assertThat(only().became()).isEqualTo(command.id().value());
    }

    /** As older servers let it happen. */
    @Test
    void whatWasAllowedAndHasLostItsKeySaysSo() throws Exception {
        runtime.startOnce("key", sh("a", Duration.ZERO));
        String id = only().id();
        runtime.startOnce("other", sh("b", Duration.ZERO));
        runtime.decisions.decide(
                runtime.approvals.list(State.PENDING, Actor.OPERATOR).getFirst().id(), ALLOW, Actor.OPERATOR);
        FakeCommand other = runtime.host.next();
        runtime.keys.keep(new Launch.Idempotency("key", "another body"), other.id());

        assertThatThrownBy(() -> runtime.decisions.decide(id, ALLOW, Actor.OPERATOR))
                .hasMessageContaining("used for another request");

        Approval lost = runtime.approvals.get(id, Actor.OPERATOR);
        assertThat(lost.became()).isNull();
        assertThat(lost.outcome().startError()).contains("used for another request");
    }

    /** What the journal says was allowed to start. */
    private List<TaskId> allowed() {
        return runtime.journal.lines.stream()
                .filter(line -> line.action() == Action.DECISION && "allow".equals(line.decision()))
                .map(Line::taskId)
                .toList();
    }

    /** Where nothing more may run the answer is not taken, and can be given again. */
    @Test
    void withoutRoomForItNothingIsDecided() throws Exception {
        runtime.start(sh("a", Duration.ZERO)).get(20, SECONDS);
        String id = only().id();
        IntStream.range(0, 4).forEach(_ -> runtime.live.takePlaceAnyway());

        assertThatThrownBy(() -> runtime.decisions.decide(id, ALLOW, Actor.OPERATOR))
                .hasMessageContaining("places for running commands");
        assertThat(only().state()).isEqualTo(State.PENDING);

        runtime.live.freePlace();
        runtime.decisions.decide(id, ALLOW, Actor.OPERATOR);
        runtime.host.next().exits(0);
    }

    /** Its caller gives up, and before that is told somebody allows it. */
    @Test
    void anAnswerWhileItIsWithdrawnComesTooLate() throws Exception {
        Patience caller = new Patience();
        CompletableFuture<CommandAnswer> answer =
                RuntimeFixture.inBackground(() -> caller.during(() -> runtime.commands.startIfAnswered(
                        sh("a", Duration.ZERO), RuntimeFixture.LONG, RuntimeFixture.LONG, "over")));
        String id = only().id();
        Steps.Hold withdrawing = runtime.steps.hold("tell");
        caller.end();
        withdrawing.awaitReached();
        CompletableFuture<Boolean> late = new CompletableFuture<>();
        Thread person = Thread.ofPlatform().start(() -> {
            try {
                runtime.decisions.decide(id, ALLOW, Actor.OPERATOR);
                late.complete(false);
            } catch (Refusal refused) {
                late.complete(refused.kind() == ErrorKind.APPROVAL_DECIDED);
            }
        });
        soon().until(() -> late.isDone() || person.getState() == Thread.State.BLOCKED);
        withdrawing.open();

        assertThat(late.get(20, SECONDS)).isTrue();
        assertThat(answer).failsWithin(Duration.ofSeconds(20)).withThrowableOfType(ExecutionException.class);
        assertThat(only().state()).isEqualTo(State.EXPIRED);
        assertThat(runtime.host.waiting()).isZero();
    }

    /** An answer that cannot be put down is none, and for no longer than once either. */
    @ParameterizedTest
    @EnumSource(value = Remember.class, names = "ONCE", mode = EnumSource.Mode.EXCLUDE)
    void whatIsNotTakenIsNotRemembered(Remember how) throws Exception {
        runtime.start(sh("mkdir a", Duration.ZERO)).get(20, SECONDS);
        Answer answer = new Answer(true, how, null);
        runtime.steps.fail("journal");

        assertThatThrownBy(() -> runtime.decisions.decide(only().id(), answer, Actor.OPERATOR))
                .hasMessageContaining("journal fails");

        assertThat(only().state()).isEqualTo(State.PENDING);
        assertThat(runtime.start(sh("mkdir b", Duration.ZERO)).get(20, SECONDS)).isInstanceOf(AwaitingApproval.class);
    }

    /** What ran is told, and not that nothing was done; the next server learns by its key that it did. */
    @Test
    void whatRanIsToldAlsoWhereItsApprovalCannotBeKept() throws Exception {
        CompletableFuture<CommandAnswer> answer = runtime.start(sh("a", RuntimeFixture.LONG));
        String id = only().id();
        runtime.decisions.decide(id, ALLOW, Actor.OPERATOR);
        FakeCommand command = runtime.host.next();
        Path folder = dataDir.resolve("approvals");
        Path kept = Files.move(folder, dataDir.resolve("kept"));
        Files.createFile(folder);
        command.exits(3);

        assertThat(answer.get(20, SECONDS)).isInstanceOf(CommandAnswer.Completed.class);

        Files.delete(folder);
        Files.move(kept, folder);
        runtime = runtime.restarted();
        runtime.recover();
        runtime.decisions.begin();
        assertThat(only().outcome().started()).isTrue();
        assertThat(runtime.host.waiting()).isZero();
    }

    /** The server is killed when the answer is on disk and before anything is started. */
    @ParameterizedTest
    @EnumSource(DuplicatePolicy.class)
    void whatWasAllowedIsStartedByTheNextServer(DuplicatePolicy policy) throws Exception {
        runtime.start(RuntimeFixture.request("a", policy, Duration.ZERO, YieldWhen.NONE, null, null))
                .get(20, SECONDS);
        String id = only().id();
        allowOnDisk(id);

        runtime = runtime.restarted();
        runtime.decisions.begin();

        FakeCommand command = runtime.host.next();
        Approval begun = runtime.approvals.get(id, Actor.OPERATOR);
        assertThat(begun.outcome().taskId()).isEqualTo(command.id().value());

        // Once more, when it was started and that was not put down.
        Path file = dataDir.resolve("approvals/" + id + ".json");
        Files.writeString(file, Files.readString(file).replace("\"started\":true", "\"started\":false"));
        runtime = runtime.restarted();
        runtime.recover();
        runtime.decisions.begin();

        assertThat(runtime.host.waiting()).isZero();
        assertThat(runtime.approvals.get(id, Actor.OPERATOR).outcome().taskId())
                .isEqualTo(command.id().value());
    }

    /** What was allowed was begun, and has ended or not, when the server is killed before its approval says so. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatWasBegunKeepsItsTask(boolean ended) throws Exception {
        runtime.start(sh("a", Duration.ZERO)).get(20, SECONDS);
        String id = only().id();
        Path file = dataDir.resolve("approvals/" + id + ".json");
        allowOnDisk(id);
        String allowed = Files.readString(file);
        runtime = runtime.restarted();
        runtime.decisions.begin();
        FakeCommand command = runtime.host.next();
        if (ended) {
            command.exits(0);
            soon().until(() -> runtime.tasks.find(command.id()).status().ended());
        }
        Files.writeString(file, allowed);

        runtime = runtime.restarted();
        runtime.recover();
        runtime.decisions.begin();

        Approval begun = runtime.approvals.get(id, Actor.OPERATOR);
        assertThat(begun.outcome().started()).isTrue();
        assertThat(begun.outcome().taskId()).isEqualTo(command.id().value());
        assertThat(runtime.host.waiting()).isZero();
        assertThat(allowed()).containsExactly(command.id());
    }

    /** The same of what ended in its caller's window, and so was no task. */
    @Test
    void whatWasBegunInAWindowIsNotBegunAgain() throws Exception {
        CompletableFuture<CommandAnswer> answer = runtime.start(sh("a", RuntimeFixture.LONG));
        String id = only().id();
        runtime.decisions.decide(id, ALLOW, Actor.OPERATOR);
        Path file = dataDir.resolve("approvals/" + id + ".json");
        String allowed = Files.readString(file);
        runtime.host.next().exits(0);
        answer.get(20, SECONDS);
        Files.writeString(file, allowed);

        runtime = runtime.restarted();
        runtime.recover();
        runtime.decisions.begin();

        assertThat(runtime.approvals.get(id, Actor.OPERATOR).outcome().started())
                .isTrue();
        assertThat(runtime.approvals.get(id, Actor.OPERATOR).outcome().taskId()).isNull();
        assertThat(runtime.host.waiting()).isZero();
    }

    /** The server is killed between the answer and the start: what it told is told once, of the task it becomes. */
    @ParameterizedTest
    @CsvSource({
        "0, journal, 2", "0, journal, 3", "0, folder, 1", "0, spawn, 1",
        "20000, journal, 2", "20000, journal, 3", "20000, folder, 1", "20000, spawn, 1"
    })
    void whatWasToldBeforeAKillIsNotToldAgain(int yieldMs, String step, int time) {
        CompletableFuture<CommandAnswer> answer = runtime.start(sh("a", Duration.ofMillis(yieldMs)));
        String id = only().id();
        soon().until(() -> yieldMs > 0 || answer.isDone());
        Steps.Hold killed = runtime.steps.kill(step, time);
        var _ = RuntimeFixture.inBackground(() -> runtime.decisions.decide(id, ALLOW, Actor.OPERATOR));
        killed.awaitReached();

        runtime = runtime.restarted();
        runtime.recover();
        runtime.decisions.begin();

        TaskId task = runtime.host.next().id();
        assertThat(runtime.journal.lines)
                .extracting(line -> line.action() + " " + line.decision() + " " + line.taskId())
                .containsExactly(
                        "DECISION ask null", "APPROVAL allow null", "DECISION allow " + task, "START null " + task);
        assertThat(only().became()).isEqualTo(task.value());
    }

    /** The same of an item of a batch, whose caller is told nothing any more: killed before its start, or while it runs. */
    @ParameterizedTest
    @CsvSource({"journal, 2", "journal, 3", "spawn, 1", ", 0"})
    void anItemOfABatchThatIsKilledWithItsServerIsATaskOfItsApproval(@Nullable String step, int time) throws Exception {
        StartRequest item =
                RuntimeFixture.request("a", DuplicatePolicy.START_NEW, RuntimeFixture.LONG, YieldWhen.NONE, null, null);
        var _ = RuntimeFixture.inBackground(() -> runtime.batches.run(new BatchRequest(List.of(item), false)));
        String id = only().id();
        Steps.Hold killed = step == null ? null : runtime.steps.kill(step, time);
        var _ = RuntimeFixture.inBackground(() -> runtime.decisions.decide(id, ALLOW, Actor.OPERATOR));
        TaskId running = null;
        if (killed == null) {
            running = runtime.host.next().id();
            runtime.live.find(running).orElseThrow().hosted().get(20, SECONDS);
        } else {
            killed.awaitReached();
        }

        runtime = runtime.restarted();
        runtime.recover();
        runtime.decisions.begin();

        TaskId task = running == null ? runtime.host.next().id() : running;
        assertThat(runtime.approvals.get(id, Actor.OPERATOR).became()).isEqualTo(task.value());
        assertThat(allowed()).containsExactly(task);
        assertThat(runtime.host.waiting()).isZero();
    }

    /** What ended in its window was no task, also where its server is killed before its approval says so. */
    @Test
    void anItemOfABatchIsBegunOnce() throws Exception {
        StartRequest item =
                RuntimeFixture.request("a", DuplicatePolicy.START_NEW, RuntimeFixture.LONG, YieldWhen.NONE, null, null);
        var batch = RuntimeFixture.inBackground(() -> runtime.batches.run(new BatchRequest(List.of(item), false)));
        String id = only().id();
        runtime.decisions.decide(id, ALLOW, Actor.OPERATOR);
        Path file = dataDir.resolve("approvals/" + id + ".json");
        FakeCommand command = runtime.host.next();
        String allowed = Files.readString(file);
        command.exits(0);
        assertThat(batch.get(20, SECONDS).items().getFirst().status()).isEqualTo(BatchAnswer.Status.COMPLETED);
        assertThat(only().outcome().started()).isTrue();
        Files.writeString(file, allowed);

        runtime = runtime.restarted();
        runtime.recover();
        runtime.decisions.begin();

        assertThat(only().outcome().started()).isTrue();
        assertThat(only().became()).isNull();
        assertThat(runtime.host.waiting()).isZero();
    }

    /** The server is killed in the midst of taking an answer: it stands where it was told, else it was never given. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAnswerIsTakenWhereItWasTold(boolean told) throws Exception {
        runtime.start(sh("a", Duration.ZERO)).get(20, SECONDS);
        String id = only().id();
        Path file = dataDir.resolve("approvals/" + id + ".json");
        String pending = Files.readString(file);
        Answer deny = new Answer(false, Remember.ONCE, "not today");
        if (told) {
            runtime.decisions.decide(id, deny, Actor.OPERATOR);
            Files.move(file, dataDir.resolve("approvals/" + id + ".new"));
            Files.writeString(file, pending);
        } else {
            Steps.Hold killed = runtime.steps.kill("journal", 1);
            var _ = RuntimeFixture.inBackground(() -> runtime.decisions.decide(id, deny, Actor.OPERATOR));
            killed.awaitReached();
        }

        runtime = runtime.restarted();
        runtime.decisions.begin();

        assertThat(only().state()).isEqualTo(told ? State.DENIED : State.PENDING);
        if (!told) {
            runtime.decisions.decide(id, deny, Actor.OPERATOR);
        }
        assertThat(only().outcome().decided().reason()).isEqualTo("not today");
        assertThat(dataDir.resolve("approvals")).isDirectoryNotContaining("glob:**.new");
        assertThat(runtime.journal.lines)
                .extracting(line -> line.action() + " " + line.decision())
                .containsExactly("DECISION ask", "APPROVAL deny");
    }

    /** The server is killed between the answer and the start: without them it is not what was allowed. */
    @Test
    void whatWasAllowedIsNotStartedWithoutTheValuesOfItsEnvironment() throws Exception {
        StartRequest request = sh("a", Duration.ZERO);
        runtime.start(with(request, Map.of("STAGE", "test"), request.wall())).get(20, SECONDS);
        allowOnDisk(only().id());

        runtime = runtime.restarted();
        runtime.decisions.begin();

        assertThat(only().outcome().startError()).contains("values of its environment");
        assertThat(runtime.host.waiting()).isZero();
    }

    private void allowOnDisk(String id) throws IOException {
        Path file = dataDir.resolve("approvals/" + id + ".json");
        String json = Files.readString(file);
        String allowed = json.replace("\"state\":\"PENDING\"", "\"state\":\"ALLOWED\"")
                .replace(
                        "\"decided\":null",
                        "\"decided\":{\"by\":\"operator\",\"at\":"
                                + Instant.now().getEpochSecond() + ",\"reason\":null}");
        assertThat(allowed).contains("ALLOWED", "\"by\"");
        Files.writeString(file, allowed);
    }

    /** Who allowed a task is found by its id, whether its caller starts it or who allows it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 20_000})
    void whatWasAllowedHasItsAnswerInItsHistory(int yieldMs) throws Exception {
        CompletableFuture<CommandAnswer> answer = runtime.start(sh("a", Duration.ofMillis(yieldMs)));
        String id = only().id();
        soon().until(() -> yieldMs > 0 || answer.isDone());
        runtime.decisions.decide(id, ALLOW, Actor.OPERATOR);
        FakeCommand command = runtime.host.next();

        assertThat(runtime.journal.lines)
                .filteredOn(line -> command.id().equals(line.taskId()))
                .extracting(line -> line.action() + " " + line.decision() + " " + line.detail())
                .containsExactly("DECISION allow " + id + " by operator", "START null null");
        command.exits(0);
        answer.get(20, SECONDS);
    }

    /** It would be shown to all who see the approval, and kept. */
    @Test
    void ofWhatHoldsASecretNothingIsSuggestedOrRemembered() throws Exception {
        runtime.start(sh("sudo -u postgres touch x --password hunter8", Duration.ZERO))
                .get(20, SECONDS);
        Approval asked = only();

        assertThat(asked.asked().suggested()).isNull();
        assertThatThrownBy(() ->
                        runtime.decisions.decide(asked.id(), new Answer(true, Remember.ALWAYS, null), Actor.OPERATOR))
                .hasMessageContaining("`once`");
        assertThat(dataDir.resolve("approved.yaml")).doesNotExist();
    }

    /** A word of it is a secret by what reads it. */
    @Test
    void theWordsThatDecidedAreMaskedAsInTheWhole() throws Exception {
        runtime.start(sh("echo hunter2 | docker login --password-stdin", Duration.ZERO))
                .get(20, SECONDS);
        Approval asked = only();

        assertThat(asked.shownWords()).isEqualTo("echo ***");
        assertThat(asked.shownDeciding()).containsExactly("echo ***", "docker login --password-stdin");
        runtime.decisions.decide(asked.id(), new Answer(false, Remember.ONCE, null), Actor.OPERATOR);
        assertThat(runtime.journal.lines)
                .extracting(Line::cmdPreview)
                .containsOnly("echo *** | docker login --password-stdin");
    }

    @Test
    void whatNobodyAnswersExpires() throws Exception {
        CompletableFuture<CommandAnswer> answer = runtime.start(sh("a", Duration.ZERO));
        AwaitingApproval awaiting = (AwaitingApproval) answer.get(20, SECONDS);

        runtime.later = Duration.ofHours(25);

        assertThat(runtime.approvals.get(awaiting.approvalId(), Actor.OPERATOR).state())
                .isEqualTo(State.EXPIRED);
        assertThat(runtime.approvals.list(State.PENDING, Actor.OPERATOR)).isEmpty();
        assertThat(runtime.journal.lines.getLast())
                .extracting(Line::actor, Line::decision)
                .containsExactly("system", "expire");
    }

    /** As on a full disk: what waits can be listed, and the next server starts. */
    @Test
    void whatNobodyAnswersExpiresAlsoWhereThatCannotBePutDown() throws Exception {
        var waiting = inBackground(() -> runtime.commands.startIfAnswered(sh("a", LONG), LONG, LONG, "he is gone"));
        Approval lost = only();
        runtime.start(sh("b", Duration.ZERO)).get(20, SECONDS);
        for (Approval approval : runtime.approvals.list(null, Actor.OPERATOR)) {
            notWritable(approval.id());
        }

        runtime = runtime.restarted();
        runtime.decisions.begin();
        assertThat(runtime.approvals.get(lost.id(), Actor.OPERATOR).state()).isEqualTo(State.EXPIRED);
        runtime.later = Duration.ofHours(25);

        assertThat(runtime.approvals.list(null, Actor.OPERATOR))
                .extracting(Approval::state)
                .containsExactly(State.EXPIRED, State.EXPIRED);
        assertThat(runtime.journal.lines)
                .filteredOn(line -> "expire".equals(line.decision()))
                .hasSize(2);
        assertThat(waiting).isNotDone();
    }

    /** Its key is forgotten after a day, and that it began was not put down. */
    @Test
    void whatBeganIsNotBegunAgainWhenItsKeyIsForgotten() throws Exception {
        runtime.start(sh("a", Duration.ZERO)).get(20, SECONDS);
        String id = only().id();
        Steps.Hold begins = runtime.steps.hold("spawn");
        var decision = inBackground(() -> runtime.decisions.decide(id, ALLOW, Actor.OPERATOR));
        begins.awaitReached();
        notWritable(id);
        begins.open();
        FakeCommand command = runtime.host.next();
        decision.get(20, SECONDS);
        command.exits(0);
        soon().until(() -> runtime.tasks.find(command.id()).status().ended());
        runtime.tasks.delete(command.id());
        runtime.keys.sweep(Instant.now().plus(Duration.ofHours(25)));

        runtime = runtime.restarted();
        runtime.recover();
        runtime.decisions.begin();

        soon().until(() -> runtime.approvals.get(id, Actor.OPERATOR).outcome().started());
        assertThat(runtime.host.waiting()).isZero();
    }

    private void notWritable(String id) throws IOException {
        Files.createDirectories(dataDir.resolve("approvals/" + id + ".new/full"));
    }

    /** An agent could fill the server's memory with questions. */
    @Test
    void aCommandThatNobodyCanReadIsNotAskedAbout() {
        StartRequest request = sh("echo " + "x".repeat(100 * 1024), Duration.ZERO);

        assertThatThrownBy(() -> runtime.commands.start(request, null))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.INVALID_TOOL_INPUT));
        assertThat(runtime.approvals.list(null, Actor.OPERATOR)).isEmpty();
    }

    @Test
    void ofTheAnsweredTheNewestAreKept() {
        List<String> asked = new ArrayList<>();
        for (int i = 0; i < 1002; i++) {
            CommandAnswer answer = runtime.commands.start(sh("echo " + i, Duration.ZERO), null);
            asked.add(((AwaitingApproval) answer).approvalId());
            runtime.decisions.decide(asked.getLast(), new Answer(false, Remember.ONCE, null), Actor.OPERATOR);
        }

        assertThat(runtime.approvals.list(null, Actor.OPERATOR))
                .extracting(Approval::id)
                .containsExactlyElementsOf(asked.subList(1, 1002).reversed());
        assertThat(dataDir.resolve("approvals").toFile().list()).hasSize(1001);
    }

    @Test
    void aDamagedFileIsLeftAndTheOthersAreRead() throws Exception {
        runtime.start(sh("a", Duration.ZERO)).get(20, SECONDS);
        String id = only().id();
        Path damaged = dataDir.resolve("approvals/approval_torn.json");
        Files.writeString(damaged, "{\"id\":");

        runtime = runtime.restarted();
        runtime.decisions.begin();

        assertThat(runtime.approvals.list(null, Actor.OPERATOR))
                .extracting(Approval::id)
                .containsExactly(id);
        assertThat(damaged).exists();
    }
}
