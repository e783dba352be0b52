package dev.holdfast.host;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads files of {@code /proc}. A process may end between any two looks, and some of what it has may be closed to us (a
 * setuid program's, another user's): both read as nothing there, never as an error.
 */
final class ProcFiles {
    private static final int CHUNK = 8192;

    private ProcFiles() {}

    /**
     * Fills {@code into} from the start of a file whose text the kernel hands out in one piece.
     *
     * @return the bytes read; 0 when there is nothing, or no such file
     */
    static int read(String path, byte[] into) {
        return readAt(path, 0, into, into.length);
    }

    /** The same from an offset: in {@code /proc/[pid]/mem}, from an address. */
    static int readAt(String path, long offset, byte[] into, int length) {
        try (RandomAccessFile file = new RandomAccessFile(path, "r")) {
            if (offset != 0) {
                file.seek(offset);
            }
            return Math.max(0, file.read(into, 0, length));
        } catch (IOException gone) {
            return 0; // see above: gone, or not ours to look at
        }
    }

    /** A whole file, empty when it cannot be read. */
    static byte[] all(String path) {
        try (RandomAccessFile file = new RandomAccessFile(path, "r")) {
            byte[] bytes = new byte[CHUNK];
            int size = 0;
            int got;
            while ((got = file.read(bytes, size, bytes.length - size)) > 0) {
                size += got;
                bytes = size == bytes.length ? Arrays.copyOf(bytes, 2 * size) : bytes;
            }
            return Arrays.copyOf(bytes, size);
        } catch (IOException gone) {
            return new byte[0]; // see above
        }
    }

    static String text(String path) {
        return new String(all(path), StandardCharsets.UTF_8);
    }

    /** Where a symbolic link points, null when it cannot be read. */
    static @Nullable String link(String path) {
        try {
            return Files.readSymbolicLink(Path.of(path)).toString();
        } catch (IOException gone) {
            return null; // see above
        }
    }

    /** The numbers among the names in a folder: processes, threads or descriptors; empty when it cannot be read. */
    static long[] numbers(String folder) {
        String[] names = new File(folder).list();
        if (names == null) {
            return new long[0];
        }
        return Arrays.stream(names)
                .map(ProcFiles::number)
                .filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong)
                .toArray();
    }

    private static OptionalLong number(String name) {
        long value = 0;
        for (int i = 0; i < name.length(); i++) {
            int digit = name.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return OptionalLong.empty();
            }
            value = 10 * value + digit;
        }
        return OptionalLong.of(value);
    }
}
