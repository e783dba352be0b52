package dev.holdfast.policy.actor;

import java.util.Collections;
import java.util.List;

/** A floor under all rules, the strictest last. */
public enum Mode {
    OPEN,
    /** What is destructive, privileged or unknown asks, unless a rule allows it. */
    ASK_DESTRUCTIVE,
    /** Only what is read-only runs. */
    PLAN;

    public Mode or(Mode other) {
        return Collections.max(List.of(this, other));
    }
}
