package dev.holdfast.host.watch;

import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.TaskId;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a command's processes, for who looks at or stops them.
 *
 * @param session its session, which is its launcher's pid and process group; 0 when unknown
 * @param launcher null when it is unknown; it may have ended
 * @param command the command's own process, null when it is unknown; it may have ended
 * @param terminalDevice its terminal, such as {@code /dev/pts/3}, else null
 * @param stdinFifo the FIFO its stdin reads, else null
 * @param printed the files that what it prints goes to; none where nobody asks what it waits for
 */
public record TaskProcess(
        TaskId id,
        long session,
        @Nullable ProcessIdentity launcher,
        @Nullable ProcessIdentity command,
        @Nullable Path terminalDevice,
        @Nullable Path stdinFifo,
        List<Path> printed) {}
