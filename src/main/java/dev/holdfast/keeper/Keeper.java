package dev.holdfast.keeper;

import dev.holdfast.keeper.message.Protocol;
import dev.holdfast.keeper.tty.Tty;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The program that holds terminals, so that they outlive the server. One per folder and version, by a file lock; serves
 * on a Unix domain socket in that folder, whose mode 0700 says who may connect; leaves when it has held nothing for a
 * while and nobody is connected.
 *
 * <p>Arguments: its folder, the folder in it that it runs from, and how long it stays without work, in milliseconds.
 * Exit status: 0 when it was not needed any more, {@link #FAILED} when something is wrong, {@link #ANOTHER_RUNS}.
 */
public final class Keeper {
    public static final int FAILED = 1;
    public static final int ANOTHER_RUNS = 3;

    private Keeper() {}

    public static void main(String[] arguments) {
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, problem) -> Log.line("in " + thread.getName() + ": " + problem));
        System.exit(run(Path.of(arguments[0]), Path.of(arguments[1]), Duration.ofMillis(Long.parseLong(arguments[2]))));
    }

    private static int run(Path folder, Path installation, Duration idle) {
        String name = Protocol.name(installation);
        try (FileChannel file = FileChannel.open(
                        folder.resolve(name + Protocol.LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = file.tryLock()) {
            if (lock == null) {
                Log.line("another keeper holds " + name + " in " + folder + "; this one leaves");
                return ANOTHER_RUNS;
            }
            Installations.deleteOthers(folder, installation);
            Tty.load(); // one that could not is to end, so that the next one may
            serve(folder.resolve(name + Protocol.SOCKET), idle);
            return 0;
        } catch (IOException broken) {
            Log.line("cannot serve in " + folder + ": " + broken);
            return FAILED;
        } catch (LinkageError unloadable) {
            Log.line("libraries cannot be loaded from " + folder
                    + ", which must not be mounted noexec and must have room: " + unloadable.getMessage());
            return FAILED;
        }
    }

    private static void serve(Path socket, Duration idle) throws IOException {
        Files.deleteIfExists(socket); // of a keeper that was killed: the lock says that none lives
        try (ServerSocketChannel door = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            door.bind(UnixDomainSocketAddress.of(socket), 64);
            Object own = inode(socket);
            Log.line("serves, pid " + ProcessHandle.current().pid());
            try {
                new KeeperLoop(door, idle).run();
                Log.line("is not needed any more");
            } finally {
                // Not another's: the folder may have been deleted, and made again for a keeper that is needed.
                if (Objects.equals(inode(socket), own)) {
                    Files.deleteIfExists(socket);
                }
            }
        }
    }

    private static @Nullable Object inode(Path file) throws IOException {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (NoSuchFileException gone) {
            return null;
        }
    }
}
