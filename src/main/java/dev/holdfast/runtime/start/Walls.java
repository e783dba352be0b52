package dev.holdfast.runtime.start;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.start.StartRequest.Wall;
import dev.holdfast.runtime.start.StartRequest.Wall.Choice;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Sandbox;
import jakarta.inject.Singleton;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which wall a command gets: the one it asks for, or the server's default, raised to the least it must have.
 * Thread-safe.
 */
@Singleton
public record Walls(HoldfastConfig config, CommandHost host) {
    /**
     * The same command behind its wall, if it gets one.
     *
     * @param least what token and policy want, null for none
     * @throws Refusal {@code sandbox_unavailable}, {@code workdir_not_found}, or {@code invalid_tool_input} for no
     *     network without a wall
     */
    CommandSpec around(CommandSpec command, Wall asked, @Nullable Sandbox least) {
        Sandbox wall = of(asked, least);
        CommandSpec walled = command.withSandbox(wall);
        if (wall != null) {
            host.requireWall(walled);
        } else if (Boolean.FALSE.equals(asked.network())) {
            throw Refusal.invalid(
                    "network",
                    "can be kept from a command by a wall alone, and this one has none",
                    "Send `sandbox` too: `workspace_write` (the workspace can be written) or `read_only` (nothing).");
        }
        return walled;
    }

    private @Nullable Sandbox of(Wall asked, @Nullable Sandbox least) {
        boolean network = Boolean.TRUE.equals(asked.network());
        Choice standard = Choice.valueOf(config.sandbox().standard().name());
        Sandbox own = switch (Objects.requireNonNullElse(asked.choice(), standard)) {
            case NONE -> least == null ? null : new Sandbox(least.files(), network);
            case READ_ONLY -> new Sandbox(Sandbox.Files.READ_ONLY, network);
            case WORKSPACE_WRITE -> new Sandbox(Sandbox.Files.WORKSPACE_WRITE, network);
        };
        return Sandbox.stricter(own, least);
    }

    /** The wall that a command without a wish gets: the server's default, raised. */
    public @Nullable Sandbox standard(@Nullable Sandbox least) {
        return of(Wall.DEFAULT, least);
    }
}
