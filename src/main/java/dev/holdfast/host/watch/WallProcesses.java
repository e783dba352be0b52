package dev.holdfast.host.watch;

import dev.holdfast.host.launch.Launcher;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What stands between a launcher and a command behind a wall: bubblewrap outside, which may die of a signal without
 * harm; bubblewrap as process 1 inside, which stays as long as anybody is there and takes all with it when it is
 * killed; and the launcher inside, the command's parent. None of it is the user's.
 */
public final class WallProcesses {
    private static final String WALL = "bwrap";

    private WallProcesses() {}

    /** Whether it is part of a wall, by its name first, since most are not. */
    public static boolean isOne(ProcessStat process, ProcessTable table) {
        if (process.name().equals(WALL)) {
            byte[] arguments = process.arguments();
            return arguments.length == 0 || Launcher.isWall(arguments); // none is left of one that is ending
        }
        // The launcher inside, or what it has forked and is no program of its own yet.
        ProcessStat parent = table.get(process.parent());
        ProcessStat above = parent == null ? null : table.get(parent.parent());
        return (isWall(parent) || isWall(above)) && Launcher.isOwn(process.arguments());
    }

    private static boolean isWall(@Nullable ProcessStat process) {
        return process != null && process.name().equals(WALL);
    }

    /** The command itself, once it has become the user's program. */
    static Optional<ProcessStat> commandOf(ProcessStat launcher, ProcessTable table) {
        for (ProcessStat child : table.children(launcher)) {
            byte[] arguments = child.alive() ? child.arguments() : new byte[0];
            if (Launcher.isWall(arguments)) {
                return inside(child, table).flatMap(inner -> commandOf(inner, table));
            }
            // In the midst of an exec it shows none, and may be becoming the wall.
            if (arguments.length > 0 && !Launcher.isOwn(arguments)) {
                return Optional.of(child);
            }
        }
        return Optional.empty();
    }

    /** The launcher behind the wall, two below it. */
    private static Optional<ProcessStat> inside(ProcessStat wall, ProcessTable table) {
        return table.children(wall).stream()
                .flatMap(init -> table.children(init).stream())
                .filter(process -> Launcher.isOwn(process.arguments()))
                .findFirst();
    }
}
