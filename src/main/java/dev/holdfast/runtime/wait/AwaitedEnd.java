package dev.holdfast.runtime.wait;

/** The end of a task: nothing has to be looked at. */
final class AwaitedEnd extends Awaited {
    @Override
    void begin() {
        looked();
    }

    @Override
    void lastLook() {
        came(null);
    }
}
