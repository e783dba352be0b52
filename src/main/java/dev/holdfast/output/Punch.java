package dev.holdfast.output;

import java.nio.file.Path;

/** Frees a part of a file: {@link dev.holdfast.kernel.Blocks#punch}. */
interface Punch {
    /** @return false: the file system cannot */
    boolean punch(Path file, long from, long to);
}
