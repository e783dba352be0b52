package dev.holdfast.tool.classic;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.runtime.call.Caller;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where the last call of a session of {@code bash} ended: a folder a session, {@code <data>/shells/<name>/}, that
 * outlives the server. It holds {@code cwd}, and the {@code bash} that the calls run with: the real one, told by
 * {@code BASH_ENV} to read {@code rc} first, which has it write its directory when it exits. So the command's text
 * stays what it was, and its exit code too; what it runs in turn reads no {@code rc}. A command that ends by
 * {@code exec}, or by a trap of its own on EXIT, leaves the directory as it was. Thread-safe; of two calls at once the
 * last to end counts.
 */
@Singleton
final class BashSessions {
    private final Caller caller;
    private final Path folder;

    @Inject
    BashSessions(Caller caller, HoldfastConfig config) {
        this.caller = caller;
        this.folder = config.dataDir().toAbsolutePath().resolve("shells");
    }

    /**
     * How a call runs.
     *
     * @param workdir null for the workspace: the first call, or its directory is gone
     */
    record Place(@Nullable String workdir, String shell) {}

    Place place(String session) {
        UUID name = UUID.nameUUIDFromBytes(caller.own(session).getBytes(StandardCharsets.UTF_8));
        Path own = folder.resolve(name.toString());
        Path shell = own.resolve("bash");
        Path cwd = own.resolve("cwd");
        try {
            if (!Files.exists(shell)) {
                var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
                Files.createDirectories(own, mode);
                Path rc = own.resolve("rc");
                put(rc, "unset BASH_ENV\ntrap -- " + quoted("pwd -P > " + quoted(cwd)) + " EXIT\n");
                put(shell, "#!/bin/sh\nBASH_ENV=" + quoted(rc) + " exec \"$(command -v bash)\" \"$@\"\n");
            }
            return new Place(workdir(cwd), shell.toString());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static @Nullable String workdir(Path cwd) throws IOException {
        try {
            String path = Files.readString(cwd);
            String line = path.endsWith("\n") ? path.substring(0, path.length() - 1) : path;
            return !line.isEmpty() && Files.isDirectory(Path.of(line)) ? line : null;
        } catch (NoSuchFileException first) {
            return null;
        }
    }

    /** Whole, or not at all. */
    private static void put(Path file, String content) throws IOException {
        var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        Path draft = Files.createTempFile(file.getParent(), "draft", null, mode);
        Files.writeString(draft, content);
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static String quoted(Object text) {
        return "'" + text.toString().replace("'", "'\\''") + "'";
    }
}
