package dev.holdfast.host.proc;

import dev.holdfast.kernel.Machine;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * What the numbers in {@code /proc/[pid]/stat} mean on this machine.
 *
 * @param pageSize bytes
 * @param bootedAt when start times began to count, in whole milliseconds; the same for each server of this boot while
 *     nobody sets the clock, so that a process is told by its start
 */
public record KernelUnits(long pageSize, Instant bootedAt) {
    /** {@code USER_HZ}, which is 100 on every Linux that Java runs on; of CPU times and start times. */
    private static final long MILLIS_PER_TICK = 10;

    private static final int LOOKS = 5;

    public static KernelUnits read(InstantSource clock) {
        // Who is held up between the two clocks sees it too early.
        Instant booted = Stream.generate(() -> clock.instant().minus(Machine.uptime()))
                .limit(LOOKS)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        return new KernelUnits(Machine.pageSize(), booted.truncatedTo(ChronoUnit.MILLIS));
    }

    /** How long ago {@code startTicks} was, by a clock that nobody sets, sleep included; never negative, to 10 ms. */
    public static Duration since(long startTicks) {
        Duration passed = Machine.uptime().minusMillis(MILLIS_PER_TICK * startTicks);
        return passed.isNegative() ? Duration.ZERO : passed;
    }

    public Instant startedAt(ProcessStat process) {
        return bootedAt.plusMillis(MILLIS_PER_TICK * process.startTicks());
    }

    public Duration cpuTime(ProcessStat process) {
        return Duration.ofMillis(MILLIS_PER_TICK * process.cpuTicks());
    }

    public long residentBytes(ProcessStat process) {
        return process.residentPages() * pageSize;
    }
}
