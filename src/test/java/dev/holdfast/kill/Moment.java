package dev.holdfast.kill;

/** When it is killed. */
enum Moment {
    /** Its folder has just appeared; its launcher may or may not run. */
    SPAWN,
    OUTPUT,
    INPUT,
    /** In its caller's window. */
    WINDOW,
    /** All is printed, and it is about to end, or has. */
    EXIT,
    /** Its caller's window closes. */
    PROMOTION,
    STOP,
    /** While a server that was just started takes over what another one left. */
    RECOVERY
}
