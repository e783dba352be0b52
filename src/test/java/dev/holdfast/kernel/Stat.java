package dev.holdfast.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** What {@code stat} tells of a file. */
public final class Stat {
    private Stat() {}

    /** What it takes of the disk, holes not counted: blocks of 512 bytes; 0 when it is not there. */
    public static long allocatedBytes(Path file) throws InterruptedException {
        try {
            Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
            String blocks = new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            return stat.waitFor() == 0 ? Long.parseLong(blocks) * 512 : 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
