package dev.holdfast.host.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kernel.ProcessExits;
import dev.holdfast.kernel.WaitStatus;
import org.junit.jupiter.api.Test;

/** Whose an end was, by the parent that it names. */
class ToldExitsTest {
    private static final long LAUNCHER = 100;
    private static final long OTHER = 900;
    private static final WaitStatus INTERRUPTED = new WaitStatus(2);
    private static final WaitStatus KILLED = new WaitStatus(9);
    private static final WaitStatus EXIT_130 = new WaitStatus(130 << 8);

    private final ToldExits told = new ToldExits(null);

    private void ended(long pid, long parent, WaitStatus status) {
        told.add(new ProcessExits.Exit(pid, parent, status));
    }

    @Test
    void anEndIsItsParents() {
        ended(555, LAUNCHER, INTERRUPTED);

        assertThat(told.childOf(LAUNCHER, 130)).contains(INTERRUPTED);
        assertThat(told.childOf(OTHER, 130)).isEmpty();
    }

    @Test
    void anEndThatNamesNoParentIsNobodys() {
        ended(555, ProcessExits.NO_PARENT, INTERRUPTED);

        assertThat(told.childOf(LAUNCHER, 130)).isEmpty();
        assertThat(told.killedBelow(LAUNCHER)).isEmpty();
    }

    @Test
    void theLatestEndCountsThatFitsTheCode() {
        ended(101, LAUNCHER, INTERRUPTED);
        ended(102, LAUNCHER, EXIT_130);
        ended(101, LAUNCHER, KILLED);

        assertThat(told.childOf(LAUNCHER, 130)).contains(EXIT_130);
        assertThat(told.childOf(LAUNCHER, 137)).contains(KILLED);
        assertThat(told.childOf(LAUNCHER, 141)).isEmpty();
    }

    @Test
    void whoWasKilledBelowIsFoundThroughItsParents() {
        ended(112, 111, KILLED);
        ended(111, 101, KILLED);
        ended(901, OTHER, KILLED);
        ended(101, LAUNCHER, EXIT_130);

        assertThat(told.killedBelow(LAUNCHER)).containsExactlyInAnyOrder(111L, 112L);
        assertThat(told.killedBelow(OTHER)).containsExactly(901L);
    }

    @Test
    void onlyTheLastAreRemembered() {
        ended(101, LAUNCHER, INTERRUPTED);
        for (int i = 0; i < ToldExits.REMEMBERED; i++) {
            assertThat(told.childOf(LAUNCHER, 130)).isPresent();
            ended(901, OTHER, KILLED);
        }

        assertThat(told.childOf(LAUNCHER, 130)).isEmpty();
    }
}
