package dev.holdfast.keeper;

import java.util.function.Consumer;

/**
 * Somebody waits until all that a terminal printed so far is in its file.
 *
 * @param answer gets whether it is; it is not at the deadline where the disk has no room
 */
record Drain(long deadlineNanos, Consumer<Boolean> answer) {}
