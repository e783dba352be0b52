package dev.holdfast.policy;

import java.util.Collections;
import java.util.List;

/** What becomes of a command, the strictest last. */
public enum Decision {
    ALLOW,
    ASK,
    DENY;

    Decision or(Decision other) {
        return Collections.max(List.of(this, other));
    }
}
