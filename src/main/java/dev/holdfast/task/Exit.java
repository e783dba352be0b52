package dev.holdfast.task;

/** How a process ended, as far as it was witnessed. Never a guess: what nobody saw is {@link Unseen}. */
public sealed interface Exit {
    /** It exited with a code, 0 to 255. */
    record Code(int status) implements Exit {}

    /** A signal ended it; {@code signal} is a name such as {@code SIGKILL}. */
    record Signalled(String signal) implements Exit {}

    /** It is gone and nobody saw how. {@code rebooted}: the machine restarted in between. */
    record Unseen(boolean rebooted) implements Exit {}
}
