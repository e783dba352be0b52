package dev.holdfast.policy.actor;

import dev.holdfast.task.Sandbox;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who asks: the bearer of a token.
 *
 * @param name of the token, as rules, approvals and the audit have it
 * @param labels that its tasks carry, whatever else it asks for
 * @param mode the least that its commands are held to
 * @param sandbox the least wall that its commands get, null for none
 */
public record Actor(
        String name,
        Role role,
        Map<String, String> labels,
        Mode mode,
        @Nullable Sandbox sandbox) {
    /** Who does, in the journal, what nobody asked for. */
    public static final String SYSTEM = "system";

    /** Who bears the server's own token. */
    public static final Actor OPERATOR = new Actor("operator", Role.OPERATOR, Map.of(), Mode.OPEN, null);

    public Actor {
        labels = Map.copyOf(labels);
    }

    /** Whose the tasks are that it starts, and which alone it sees: its own; null: the operator's, and it sees all. */
    public @Nullable String owner() {
        return role == Role.AGENT ? name : null;
    }

    /** @param owner of a task */
    public boolean sees(@Nullable String owner) {
        return role != Role.AGENT || name.equals(owner);
    }

    /** A name that it gave to something, as one that nobody else can give: no token's name holds a line end. */
    public String own(String given) {
        return owner() == null ? given : name + "\n" + given;
    }

    /** What its tasks carry: its own labels, and of those asked for the others. */
    public Map<String, String> labelled(Map<String, String> asked) {
        Map<String, String> all = new HashMap<>(asked);
        all.putAll(labels);
        return all;
    }
}
