package dev.holdfast.host.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** A file of a task's folder, whatever was made of it: nothing is waited for, and no memory lost. */
public final class SmallFile {
    private SmallFile() {}

    /** @throws IOException it cannot be read, is no file, or has more than {@code most} bytes */
    public static byte[] read(Path file, int most) throws IOException {
        BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
        if (!found.isRegularFile()) {
            throw new IOException("it is no file");
        }
        if (found.size() > most) {
            throw new IOException("it has " + found.size() + " bytes");
        }
        return Files.readAllBytes(file);
    }
}
