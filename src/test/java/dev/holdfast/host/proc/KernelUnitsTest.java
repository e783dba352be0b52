package dev.holdfast.host.proc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.host.StartedTask;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class KernelUnitsTest {
    /** A process is told by its pid and its start: the next server has to say the same of it. */
    @Test
    void whoeverLooksSeesTheSameBoot() {
        assertThat(Stream.generate(
                                () -> KernelUnits.read(InstantSource.system()).bootedAt())
                        .limit(50)
                        .distinct())
                .hasSizeBetween(1, 2)
                .allSatisfy(boot -> assertThat(boot).isEqualTo(boot.truncatedTo(ChronoUnit.MILLIS)));
    }

    @Test
    void theAgeOfAProcessIsThatOfItsStart() {
        ProcessStat self = StartedTask.stat(ProcessHandle.current().pid());
        Duration age = KernelUnits.since(self.startTicks());
        Duration byTheClock = Duration.between(
                KernelUnits.read(InstantSource.system()).startedAt(self),
                InstantSource.system().instant());
        assertThat(byTheClock.minus(age)).isBetween(Duration.ofMillis(-20), Duration.ofSeconds(5));
    }
}
