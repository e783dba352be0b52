package dev.holdfast.tool;

import dev.holdfast.runtime.call.Refusal;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A set of tools that an agent is given. */
public enum Profile {
    /** Our own. */
    HOLDFAST,
    /** The shell tools of agent tutorials, libraries and kits. */
    CLASSIC,
    CODEX,
    CLAUDE,
    GEMINI;

    /**
     * @param name as callers write it; null for the default
     * @throws Refusal {@code invalid_tool_input}: there is no such profile
     */
    public static Profile named(@Nullable String name) {
        if (name == null) {
            return HOLDFAST;
        }
        return Arrays.stream(values())
                .filter(profile -> profile.toString().equals(name))
                .findFirst()
                .orElseThrow(() -> Refusal.invalid(
                        "profile",
                        "is not a profile",
                        "Use one of "
                                + Arrays.stream(values()).map(Profile::toString).collect(Collectors.joining(", "))
                                + "."));
    }

    /** As callers write it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
