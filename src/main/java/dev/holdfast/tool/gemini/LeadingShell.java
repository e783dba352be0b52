package dev.holdfast.tool.gemini;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.config.OwnFiles;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The bash that commands of this profile run with: a script that has the real one lead a process group, as a model was
 * taught that it does, so that {@code kill -- -PID} ends all of it. It is the launcher's child all the same, and the
 * launcher, in another group, goes on to record the exit. Lies where a wall lets shells of ours through. Thread-safe.
 */
@Singleton
record LeadingShell(HoldfastConfig config) {
    /** Of a process that leads no group setsid makes the leader in place, with the pid that it has. */
    private static final String SCRIPT = """
            #!/bin/sh
            exec $(command -v setsid) "$(command -v bash)" "$@"
            """;

    /** Its path; it is there. */
    synchronized String path() {
        Path folder = config.dataDir().toAbsolutePath().resolve("shells").resolve("leading");
        Path shell = folder.resolve("bash");
        try {
            if (!Files.exists(shell) || !Files.readString(shell).equals(SCRIPT)) {
                OwnFiles.folder(folder);
                OwnFiles.write(shell, SCRIPT, "r-x------");
            }
            return shell.toString();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
