package dev.holdfast.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** What lies in the data folder is for nobody but its owner. */
public final class OwnFiles {
    public static final FileAttribute<Set<PosixFilePermission>> FOLDER = mode("rwx------");
    public static final FileAttribute<Set<PosixFilePermission>> FILE = mode("rw-------");

    private OwnFiles() {}

    private static FileAttribute<Set<PosixFilePermission>> mode(String mode) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
    }

    /** Makes a folder, and those above it, where they are missing. */
    public static void folder(Path path) throws IOException {
        Files.createDirectories(path, FOLDER);
    }

    /** Puts a text in the place of a file, whole or not at all. For one writer at a time. */
    public static void write(Path file, String text) throws IOException {
        write(file, text, "rw-------");
    }

    /** @param mode such as {@code r-x------} */
    public static void write(Path file, String text, String mode) throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(unfinished);
        Files.createFile(unfinished, FILE);
        try {
            Files.writeString(unfinished, text);
            Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString(mode));
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }
}
