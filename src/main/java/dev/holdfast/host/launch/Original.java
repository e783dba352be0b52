package dev.holdfast.host.launch;

import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.ProcessIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A copied data folder has on record what runs for the original, whose server alone it is for. */
public final class Original {
    private Original() {}

    /**
     * The folder that a command runs for, where the one that it is on record in is a copy of that.
     *
     * @param launcher of the command, as that record has it; null for none
     */
    public static Optional<Path> of(TaskFolder folder, @Nullable ProcessIdentity launcher) {
        ProcessStat process = launcher == null ? null : ProcessTable.living(launcher);
        byte[] arguments = process == null ? new byte[0] : process.arguments();
        if (!Launcher.isOwn(arguments)) {
            return Optional.empty();
        }
        Path started = Launcher.folder(arguments);
        try {
            return Files.isSameFile(started, folder.path()) ? Optional.empty() : Optional.of(started);
        } catch (IOException moved) {
            return Optional.empty(); // or deleted, and brought back elsewhere: there is no other owner
        }
    }
}
