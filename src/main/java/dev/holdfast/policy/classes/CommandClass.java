package dev.holdfast.policy.classes;

import dev.holdfast.policy.actor.Mode;
import java.util.EnumSet;
import java.util.Set;

/** What a command does to the world. */
public enum CommandClass {
    READ_ONLY,
    WRITES,
    DESTRUCTIVE,
    NETWORK,
    PRIVILEGED,
    UNKNOWN;

    private static final Set<CommandClass> ALONE = EnumSet.of(READ_ONLY, NETWORK);

    /** What asks in {@link Mode#ASK_DESTRUCTIVE}, and what an allowing rule by class has to name. */
    public static final Set<CommandClass> GRAVE = EnumSet.of(DESTRUCTIVE, PRIVILEGED, UNKNOWN);

    /** The same without {@code READ_ONLY} where that is not the whole of it. */
    public static Set<CommandClass> settled(Set<CommandClass> classes) {
        if (!ALONE.containsAll(classes)) {
            classes.remove(READ_ONLY);
        }
        return classes;
    }
}
