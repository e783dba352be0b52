package dev.holdfast.output;

import dev.holdfast.runtime.OutputStore.Gap;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes of a stream are kept: a quarter of them at its head, the rest at its tail, the gap between them in whole
 * blocks of the file system.
 */
record Budget(long bytes) {
    private static final long BLOCK = 4096;
    private static final long MOST_LEEWAY = 64 << 20;
    /** Of a flood that has dropped so many times the budget, little is left to gain. */
    private static final int LONG = 4;

    Budget {
        if (bytes < DiskGovernor.LEAST_BUDGET) {
            throw new IllegalArgumentException("holdfast.output.max-bytes is " + bytes + "; the least is "
                    + DiskGovernor.LEAST_BUDGET + ", for head and tail must remain readable");
        }
    }

    /** The gap that a stream of so many bytes needs, {@code size} being beyond the budget; it only ever grows. */
    Gap gap(long size, @Nullable Gap old) {
        long from = old == null ? head() : old.from();
        long to = (size - tail() + BLOCK - 1) / BLOCK * BLOCK;
        return new Gap(from, old == null ? to : Math.max(old.to(), to));
    }

    /**
     * The size up to which a flood may run before bytes are dropped, beyond the budget: the writer stands still meanwhile.
     * Measured on ext4 with 256 MiB: dropped every 10 ms it took 1.25 times as long, in pieces of 32 MiB 1.1 times. Most
     * floods are over soon; one that goes on is held more tightly.
     */
    long limit(@Nullable Gap gap) {
        long most = Math.min(bytes, MOST_LEEWAY);
        boolean goesOn = gap != null && gap.to() - gap.from() >= LONG * bytes;
        return (gap == null ? head() : gap.to()) + tail() + (goesOn ? most / LONG : most);
    }

    private long head() {
        return bytes / 4 / BLOCK * BLOCK;
    }

    private long tail() {
        return bytes - head();
    }

    /** What a file may have allocated beyond its bytes: ends of blocks, preallocation. */
    long slack() {
        return 1 << 20;
    }
}
