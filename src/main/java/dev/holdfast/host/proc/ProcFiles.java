package dev.holdfast.host.proc;

import dev.holdfast.kernel.Descriptor;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads files of {@code /proc}. A process may end between any two looks, and some of what it has may be closed to us (a
 * setuid program's, another user's): both read as nothing there. To be out of descriptors is another thing, and an
 * {@link dev.holdfast.kernel.ErrnoException}: who is not seen for that is not gone.
 */
public final class ProcFiles {
    private ProcFiles() {}

    /**
     * Fills {@code into} from the start of a file whose text the kernel hands out in one piece.
     *
     * @return the bytes read; 0 when there is nothing, or no such file
     */
    public static int read(String path, byte[] into) {
        try (FileInputStream file = new FileInputStream(path)) {
            return Math.max(0, file.read(into));
        } catch (IOException gone) {
            Descriptor.requireGone(Path.of(path), gone);
            return 0;
        }
    }

    /** Fills {@code into} from an offset on: in {@code /proc/[pid]/mem}, from an address. False when there is less. */
    public static boolean readAt(String path, long offset, byte[] into) {
        try (RandomAccessFile file = new RandomAccessFile(path, "r")) {
            file.seek(offset);
            file.readFully(into);
            return true;
        } catch (IOException gone) {
            return false;
        }
    }

    /** A whole file, empty when it cannot be read. */
    public static byte[] all(String path) {
        try (FileInputStream file = new FileInputStream(path)) {
            return file.readAllBytes();
        } catch (IOException gone) {
            Descriptor.requireGone(Path.of(path), gone);
            return new byte[0];
        }
    }

    public static String text(String path) {
        return new String(all(path), StandardCharsets.UTF_8);
    }

    /** What the line that begins with {@code name} says behind it; empty where there is no such line. */
    public static String value(String path, String name) {
        return text(path)
                .lines()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip())
                .findFirst()
                .orElse("");
    }

    /** Where a symbolic link points, null when it cannot be read. */
    public static @Nullable String link(String path) {
        try {
            return Files.readSymbolicLink(Path.of(path)).toString();
        } catch (IOException gone) {
            return null;
        }
    }

    /** The numbers among the names in a folder: processes, threads or descriptors; empty when it cannot be read. */
    public static long[] numbers(String folder) {
        String[] names = new File(folder).list();
        if (names == null) {
            Descriptor.requireGone(Path.of(folder), new FileNotFoundException(folder));
            return new long[0];
        }
        return Arrays.stream(names)
                .filter(name -> name.chars().allMatch(letter -> letter >= '0' && letter <= '9'))
                .mapToLong(Long::parseLong)
                .toArray();
    }
}
