package dev.holdfast.policy;

/** What becomes of a command, the strictest last. */
public enum Decision {
    ALLOW,
    ASK,
    DENY
}
