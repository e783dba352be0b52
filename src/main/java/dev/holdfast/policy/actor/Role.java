package dev.holdfast.policy.actor;

import java.util.Locale;

/** What the bearer of a token may do. */
public enum Role {
    /** All. */
    OPERATOR,
    /** All, with its own tasks alone: there are no others for it. */
    AGENT,
    /** Sees all, and changes nothing. */
    OBSERVER;

    /** Whether its bearer may change anything. */
    public boolean changes() {
        return this != OBSERVER;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
