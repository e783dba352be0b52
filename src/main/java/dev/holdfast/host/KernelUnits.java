package dev.holdfast.host;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * What the numbers in {@code /proc/[pid]/stat} mean on this machine.
 *
 * @param pageSize bytes
 * @param ticksPerSecond of CPU times and start times
 * @param bootedAt when start times began to count; as the clock and {@code /proc/uptime} agree on it, to 10 ms
 */
record KernelUnits(long pageSize, long ticksPerSecond, Instant bootedAt) {
    /** Keys of getauxval(3). */
    private static final long AT_PAGESZ = 6;

    private static final long AT_CLKTCK = 17;

    static KernelUnits read(InstantSource clock) {
        String uptime = ProcFiles.text("/proc/uptime");
        long millis = Math.round(1000 * Double.parseDouble(uptime.substring(0, uptime.indexOf(' '))));
        return new KernelUnits(
                auxiliary(AT_PAGESZ, 4096),
                auxiliary(AT_CLKTCK, 100),
                clock.instant().minusMillis(millis));
    }

    Instant startedAt(ProcessStat process) {
        return bootedAt.plusMillis(1000 * process.startTicks() / ticksPerSecond);
    }

    Duration cpuTime(ProcessStat process) {
        return Duration.ofMillis(1000 * process.cpuTicks() / ticksPerSecond);
    }

    long residentBytes(ProcessStat process) {
        return process.residentPages() * pageSize;
    }

    private static long auxiliary(long key, long otherwise) {
        ByteBuffer vector = ByteBuffer.wrap(ProcFiles.all("/proc/self/auxv")).order(ByteOrder.nativeOrder());
        while (vector.remaining() >= 2 * Long.BYTES) {
            long found = vector.getLong();
            long value = vector.getLong();
            if (found == key) {
                return value;
            }
        }
        return otherwise;
    }
}
