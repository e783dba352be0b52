package dev.holdfast.keeper;

/** Somebody waits until all that a terminal printed so far is in its file. */
record Drain(long deadlineNanos, Runnable answer) {
    void done() {
        answer.run();
    }
}
