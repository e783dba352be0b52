package dev.holdfast.output;

import dev.holdfast.runtime.OutputStore.Gap;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes of a stream are kept: a quarter of them at its head, the rest at its tail, the gap between them in whole
 * blocks of the file system.
 */
record Budget(long bytes) {
    private static final long BLOCK = 4096;

    Budget {
        if (bytes < DiskGovernor.LEAST_BUDGET) {
            throw new IllegalArgumentException("holdfast.output.max-bytes is " + bytes + "; the least is "
                    + DiskGovernor.LEAST_BUDGET + ", for head and tail must remain readable");
        }
    }

    /** The gap that a stream of so many bytes needs, {@code size} being beyond the budget; it only ever grows. */
    Gap gap(long size, @Nullable Gap old) {
        long head = bytes / 4 / BLOCK * BLOCK;
        long tail = bytes - head;
        long from = old == null ? head : old.from();
        long to = (size - tail + BLOCK - 1) / BLOCK * BLOCK;
        return new Gap(from, old == null ? to : Math.max(old.to(), to));
    }

    /** What a file may have allocated beyond its bytes: ends of blocks, preallocation. */
    long slack() {
        return 1 << 20;
    }
}
