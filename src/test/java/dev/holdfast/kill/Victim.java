package dev.holdfast.kill;

/** What is killed. */
enum Victim {
    SERVER,
    KEEPER,
    BOTH,
    LAUNCHER;

    boolean takesServer() {
        return this == SERVER || this == BOTH;
    }

    boolean takesKeeper() {
        return this == KEEPER || this == BOTH;
    }
}
