package dev.holdfast.policy;

import dev.holdfast.policy.actor.Mode;
import java.util.List;

/**
 * What a policy file says.
 *
 * @param fallback where no rule matches
 * @param protections whether the built-in ones hold
 * @param warnings a line each, of what holds but can hardly be meant
 */
record Rules(Mode mode, Decision fallback, boolean protections, List<Rule> rules, List<String> warnings) {
    static final Rules NONE = new Rules(Mode.OPEN, Decision.ALLOW, true, List.of(), List.of());
}
