package dev.holdfast.recovery;

import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.Names;
import dev.holdfast.recovery.DataFolder.UnusableException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Makes one of each kind of file that tasks and terminals need, and removes it: what a file system cannot hold (FAT,
 * many that come over a network) is known at the start and not with the first command that takes input.
 */
record FolderProbe(Path folder) {
    /**
     * For the one server that holds the folder.
     *
     * @throws UnusableException there are no FIFOs, or no Unix sockets
     */
    void run() throws IOException {
        // Names no longer than the keeper's socket, for which the path was measured.
        if (fifo(folder.resolve(".fifo"))) {
            socket(folder.resolve(".socket"));
        }
    }

    /** @return false when there is no room, which says nothing of what can be held */
    private boolean fifo(Path probe) throws IOException {
        Files.deleteIfExists(probe); // of a server that was killed here
        try {
            Names.fifo(probe);
        } catch (ErrnoException refused) {
            if (refused.errno() == ErrnoException.ENOSPC || refused.errno() == ErrnoException.EDQUOT) {
                return false;
            }
            throw lacking("FIFOs", refused);
        }
        Files.delete(probe);
        return true;
    }

    private void socket(Path probe) throws IOException {
        Files.deleteIfExists(probe);
        try (ServerSocketChannel door = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            door.bind(UnixDomainSocketAddress.of(probe));
        } catch (IOException refused) {
            throw lacking("Unix sockets", refused);
        }
        Files.delete(probe);
    }

    private UnusableException lacking(String what, Exception refused) {
        return new UnusableException("The data folder " + folder + " is on a file system without " + what + " ("
                + refused.getMessage() + "). Set HOLDFAST_DATA_DIR to a folder on a local disk, such as ext4 or xfs.");
    }
}
