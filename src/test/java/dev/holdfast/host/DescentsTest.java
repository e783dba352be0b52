package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kernel.ProcessBirths.Birth;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.TaskId;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Births that nobody had; pids are above all that there are. */
class DescentsTest {
    private static final TaskId TASK = new TaskId("task_01ARZ3NDEKTSV4RRFFQ69G5FAV");
    private static final TaskId OTHER = new TaskId("task_01ARZ3NDEKTSV4RRFFQ69G5FAW");
    private static final long SURE = Long.MAX_VALUE;
    private static final long SELF = ProcessHandle.current().pid();
    private static final long INIT = 1;

    private static final long SERVER = 5_000_000;
    private static final long LAUNCHER = SERVER + 1;
    private static final long COMMAND = SERVER + 2;
    private static final long FORK = SERVER + 3;
    private static final long ESCAPED = SERVER + 4;

    private final Descents descents = new Descents();

    @BeforeEach
    void aCommandIsStarted() {
        descents.beginFetch();
        born(LAUNCHER, SERVER, 100);
        born(COMMAND, LAUNCHER, 101);
        launched(TASK, LAUNCHER, 100);
    }

    @Test
    void whoeverIsLeftOfAChainOfBirthsIsTheTasks() {
        born(FORK, COMMAND, 110);
        born(ESCAPED, FORK, 111);
        assertThat(of(TASK, stat(ESCAPED, 111), stat(SERVER, 1), stat(SERVER + 9, 111)))
                .containsExactly(ESCAPED);
    }

    @Test
    void theLauncherMayBeNamedAfterItsEnd() {
        born(SERVER + 5, SERVER, 105);
        born(ESCAPED, SERVER + 5, 106);
        sift(moment(), 104, ESCAPED);
        launched(OTHER, SERVER + 5, 105);
        assertThat(of(OTHER, stat(ESCAPED, 106))).containsExactly(ESCAPED);
    }

    @Test
    void aLauncherOfAnotherStartIsAnother() {
        launched(OTHER, LAUNCHER, 50);
        born(ESCAPED, COMMAND, 111);
        assertThat(descents.in(ProcessTable.of(stat(ESCAPED, 111)))).isEmpty();
    }

    @Test
    void aPidThatIsUsedAgainIsAnotherProcess() {
        born(ESCAPED, COMMAND, 110);
        born(ESCAPED, SERVER, 500);
        assertThat(of(TASK, stat(ESCAPED, 500))).isEmpty();
        born(FORK, ESCAPED, 501);
        assertThat(of(TASK, stat(FORK, 501))).isEmpty();
    }

    /** Its own birth has not been told yet. */
    @Test
    void whoHasAnEndedProcessesPidByNowIsNotTakenForIt() {
        born(ESCAPED, COMMAND, 110);
        assertThat(of(TASK, stat(ESCAPED, 111))).isEmpty();
        assertThat(of(TASK, stat(ESCAPED, 60))).as("one from before").isEmpty();
        assertThat(of(TASK, stat(ESCAPED, 110))).containsExactly(ESCAPED);
    }

    @Test
    void aZombieIsNobody() {
        born(ESCAPED, COMMAND, 110);
        assertThat(of(TASK, stat(ESCAPED, 110, 'Z'))).isEmpty();
    }

    @Test
    void thisProcessAndTheFirstAreNobodysAndNobodyIsATasksThroughThem() {
        born(SELF, COMMAND, 110);
        born(INIT, COMMAND, 110);
        born(ESCAPED, SELF, 111);
        born(FORK, INIT, 111);
        descents.claim(TASK, Stream.of(stat(COMMAND, 101)));
        assertThat(of(TASK, stat(SELF, 110), stat(INIT, 110), stat(ESCAPED, 111), stat(FORK, 111)))
                .isEmpty();
    }

    @Test
    void aBirthThatWasLostBreaksTheChain() {
        born(ESCAPED, FORK, 111);
        assertThat(of(TASK, stat(ESCAPED, 111))).isEmpty();
    }

    @Test
    void whoWasFoundOtherwiseMakesItsDescendantsTheTasks() {
        born(ESCAPED, FORK, 111);
        descents.claim(TASK, Stream.of(stat(FORK, 90)));
        assertThat(of(TASK, stat(ESCAPED, 111))).containsExactly(ESCAPED);
    }

    @Test
    void whoWasFoundOtherwiseIsNotTakenForALaterOne() {
        born(FORK, SERVER, 500);
        born(ESCAPED, FORK, 501);
        descents.claim(TASK, Stream.of(stat(FORK, 110)));
        assertThat(of(TASK, stat(FORK, 500), stat(ESCAPED, 501))).isEmpty();
    }

    /** The births of the second user of a pid were among those that were lost. */
    @Test
    void afterALossOnlyWhoLivesHasKeptItsPid() {
        born(FORK, COMMAND, 110);
        descents.lost(ProcessTable.of(stat(COMMAND, 101), stat(FORK, 400)));
        descents.beginFetch();
        born(ESCAPED, FORK, 500);
        born(ESCAPED + 1, COMMAND, 500);
        born(ESCAPED + 2, LAUNCHER, 500);
        assertThat(of(TASK, stat(ESCAPED, 500), stat(ESCAPED + 1, 500), stat(ESCAPED + 2, 500)))
                .containsExactly(ESCAPED + 1);
    }

    @Test
    void oneWhoIsAlwaysAnotherNeedsNoMoreRoom() {
        assertThat(largestWhileRespawning(COMMAND)).isLessThan(20);
        assertThat(of(TASK, stat(pidOf(10_000), 20_100))).containsExactly(pidOf(10_000));
    }

    @Test
    void norDoesAStrangerWhoIs() {
        assertThat(largestWhileRespawning(SERVER)).isLessThan(20);
        assertThat(of(TASK, stat(pidOf(10_000), 20_100))).isEmpty();
    }

    /** Ten births between two looks. */
    private int largestWhileRespawning(long first) {
        int largest = 0;
        long parent = first;
        for (int i = 1; i <= 10_000; i++) {
            born(pidOf(i), parent, 100 + 2L * i);
            parent = pidOf(i);
            if (i % 10 == 0) {
                sift(moment(), SURE, SERVER, pidOf(i));
                largest = Math.max(largest, descents.size());
                descents.beginFetch();
            }
        }
        sift(moment(), SURE, SERVER, parent);
        sift(moment(), SURE, SERVER, parent);
        assertThat(descents.size()).isLessThan(6);
        return largest;
    }

    private static long pidOf(int round) {
        return SERVER + 10 + round % 700;
    }

    @Test
    void aLauncherThatMayStillBeNamedIsNotLeftOut() {
        descents.beginFetch();
        born(FORK, SERVER, 600);
        born(ESCAPED, FORK, 601);
        sift(moment(), 600 * 10_000_000L, SERVER, ESCAPED);
        sift(moment(), 600 * 10_000_000L, SERVER, ESCAPED);
        launched(OTHER, FORK, 600);
        assertThat(of(OTHER, stat(ESCAPED, 601))).containsExactly(ESCAPED);
    }

    /** The list was made before it was born, though it is looked through after. */
    @Test
    void whoIsYoungerThanTheListIsKept() {
        long moment = moment();
        descents.beginFetch();
        born(FORK, COMMAND, 110);
        sift(moment, SURE, SERVER, COMMAND);
        descents.beginFetch();
        born(ESCAPED, FORK, 111);
        assertThat(of(TASK, stat(ESCAPED, 111))).containsExactly(ESCAPED);
    }

    @Test
    void whatEndedIsLetGoOf() {
        born(FORK, COMMAND, 110);
        sift(moment(), SURE, SERVER);
        assertThat(descents.size()).as("somebody's parent").isEqualTo(1);
    }

    private void born(long pid, long parent, long ticks) {
        descents.born(new Birth(pid, parent, ticks * 10_000_000 + 5_000_000));
    }

    private void launched(TaskId task, long pid, long ticks) {
        descents.launched(task, new ProcessIdentity(pid, ticks, BootId.current()));
    }

    private long moment() {
        return descents.moment();
    }

    private void sift(long moment, long unsure, Long... listed) {
        descents.sift(Set.of(listed), moment, unsure);
    }

    private List<Long> of(TaskId task, ProcessStat... processes) {
        return descents.in(ProcessTable.of(processes)).getOrDefault(task, List.of()).stream()
                .map(ProcessStat::pid)
                .toList();
    }

    private static ProcessStat stat(long pid, long startTicks) {
        return stat(pid, startTicks, 'S');
    }

    private static ProcessStat stat(long pid, long startTicks, char state) {
        return new ProcessStat(pid, pid, "made up", state, INIT, pid, pid, 0, -1, 0, 1, startTicks, 0, 0);
    }
}
