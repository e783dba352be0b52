package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kernel.ProcessExits;
import dev.holdfast.kernel.WaitStatus;
import org.junit.jupiter.api.Test;

/** Whose an end was, by the parent that it names and by its birth where it names none. */
class ToldExitsTest {
    private static final long LAUNCHER = 100;
    private static final long OTHER = 900;
    private static final WaitStatus INTERRUPTED = new WaitStatus(2);
    private static final WaitStatus KILLED = new WaitStatus(9);
    private static final WaitStatus EXIT_130 = new WaitStatus(130 << 8);

    /** 101 and 102 are born of the launcher, 111 of 101, 901 of another; the launcher's own birth nobody has seen. */
    private final ToldExits told = new ToldExits((pid, parent) -> switch ((int) pid) {
        case 101, 102 -> parent == LAUNCHER;
        case 111 -> parent == 101;
        case 901 -> parent == OTHER;
        default -> false;
    });

    private void ended(long pid, long parent, WaitStatus status) {
        told.add(new ProcessExits.Exit(pid, parent, status));
    }

    @Test
    void anEndIsItsParents() {
        ended(555, LAUNCHER, INTERRUPTED);

        assertThat(told.childOf(LAUNCHER, 130, 0)).contains(INTERRUPTED);
        assertThat(told.childOf(OTHER, 130, 0)).isEmpty();
    }

    @Test
    void anEndThatNamesNoParentIsTheirsOfWhomItWasBorn() {
        ended(101, ProcessExits.NO_PARENT, INTERRUPTED);
        ended(901, ProcessExits.NO_PARENT, EXIT_130);

        assertThat(told.childOf(LAUNCHER, 130, 0)).contains(INTERRUPTED);
        assertThat(told.childOf(OTHER, 130, 0)).contains(EXIT_130);
    }

    @Test
    void anEndThatNamesNoParentAndWhoseBirthIsNotKnownIsNobodys() {
        ended(555, ProcessExits.NO_PARENT, INTERRUPTED);

        assertThat(told.childOf(LAUNCHER, 130, 0)).isEmpty();
        assertThat(told.killedBelow(LAUNCHER, 0)).isEmpty();
    }

    @Test
    void aParentThatIsNamedCountsMoreThanABirth() {
        ended(101, OTHER, INTERRUPTED); // the pid was used again, or its parent ended before it

        assertThat(told.childOf(LAUNCHER, 130, 0)).isEmpty();
    }

    @Test
    void theLatestEndCountsThatFitsTheCodeAndCameAfterTheMoment() {
        ended(101, LAUNCHER, INTERRUPTED);
        long moment = told.count();
        assertThat(told.childOf(LAUNCHER, 130, moment)).isEmpty();
        ended(102, ProcessExits.NO_PARENT, EXIT_130);
        ended(101, LAUNCHER, KILLED);

        assertThat(told.childOf(LAUNCHER, 130, moment)).contains(EXIT_130);
        assertThat(told.childOf(LAUNCHER, 137, moment)).contains(KILLED);
        assertThat(told.childOf(LAUNCHER, 141, moment)).isEmpty();
    }

    @Test
    void whoWasKilledBelowIsFoundThroughParentsThatAreNotNamed() {
        ended(112, 111, KILLED);
        ended(111, ProcessExits.NO_PARENT, KILLED);
        ended(901, ProcessExits.NO_PARENT, KILLED);
        ended(101, ProcessExits.NO_PARENT, EXIT_130);

        assertThat(told.killedBelow(LAUNCHER, 0)).containsExactlyInAnyOrder(111L, 112L);
        assertThat(told.killedBelow(OTHER, 0)).containsExactly(901L);
    }

    @Test
    void onlyTheLastAreRemembered() {
        ended(101, LAUNCHER, INTERRUPTED);
        for (int i = 0; i < ToldExits.REMEMBERED; i++) {
            assertThat(told.childOf(LAUNCHER, 130, 0)).isPresent();
            ended(901, OTHER, KILLED);
        }

        assertThat(told.childOf(LAUNCHER, 130, 0)).isEmpty();
    }
}
