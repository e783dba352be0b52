package dev.holdfast.tool.classic;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.config.OwnFiles;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where the last call of a session of {@code bash} ended: a folder a session, {@code <data>/shells/<name>/}, that
 * outlives the server. It holds {@code cwd}, and the {@code bash} that the calls run with: the real one, told by
 * {@code BASH_ENV} to read {@code rc} first, which has it write its directory when it exits. So the command's text
 * stays what it was, and its exit code too; what it runs in turn reads no {@code rc}. A directory is kept by the
 * name that it was entered by, which bash takes over from {@code PWD} where that is the same directory. A command that
 * ends by {@code exec}, or by a trap of its own on EXIT, leaves the directory as it was.
 *
 * <p>Behind a wall the folder is there too, since it is the shell's own, and {@code cwd} alone can be written. So its
 * name has to be a secret of the server: else whoever knows an agent and its session could name it as a shell, and move
 * that agent to another directory. Thread-safe; of two calls at once the last to end counts.
 */
@Singleton
record BashSessions(Caller caller, HoldfastConfig config) {
    /** The system's longest path (PATH_MAX), its end mark counted, which in the file is a line's end. */
    private static final int LONGEST = 4096;

    /**
     * How a call runs.
     *
     * @param workdir null for the workspace: the first call
     */
    record Place(@Nullable String workdir, String shell) {}

    /**
     * @param session null for none: nothing is kept
     * @param environment the variables that a call gets besides PATH, HOME and PWD; null: all that there are
     * @throws Refusal {@code workdir_not_found}, once: the session's directory is gone, and it begins in the workspace
     */
    synchronized Place place(@Nullable String session, @Nullable List<String> environment) {
        try {
            return place(folderOf(session == null ? "" : caller.own(session)), session != null, environment);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Place place(Path own, boolean keeps, @Nullable List<String> environment) throws IOException {
        Path shell = own.resolve("bash");
        Path cwd = own.resolve("cwd");
        Path rc = own.resolve("rc");
        String keeping = keeps ? "BASH_ENV=" + quoted(rc) + " PWD=\"$(cat " + quoted(cwd) + ")\" " : "";
        String run = environment == null ? keeping + "exec " : "exec env -i " + passed(environment) + keeping;
        String script = "#!/bin/sh\n" + run + "\"$(command -v bash)\" \"$@\"\n";
        if (!Files.exists(shell) || !Files.readString(shell).equals(script)) {
            OwnFiles.folder(own);
            OwnFiles.write(
                    rc,
                    "unset BASH_ENV\ntrap -- " + quoted("builtin pwd -L >| " + quoted(cwd)) + " EXIT\n",
                    "r--------");
            OwnFiles.write(shell, script, "r-x------");
        }
        if (keeps && !Files.exists(cwd)) {
            OwnFiles.write(cwd, "");
        }
        return new Place(keeps ? workdir(cwd) : null, shell.toString());
    }

    private Path folderOf(String key) throws IOException {
        Path folder = config.dataDir().toAbsolutePath().resolve("shells");
        Path secret = folder.resolve("secret");
        OwnFiles.folder(folder);
        if (!Files.exists(secret)) {
            OwnFiles.write(secret, UUID.randomUUID().toString(), "r--------");
        }
        byte[] name = (Files.readString(secret) + key).getBytes(StandardCharsets.UTF_8);
        return folder.resolve(UUID.nameUUIDFromBytes(name).toString());
    }

    /** Those that are set, with the mark by which what escapes is found. */
    private static String passed(List<String> environment) {
        return Stream.concat(Stream.of("PATH", "HOME", "PWD", "HOLDFAST_TASK"), environment.stream())
                .filter(name -> name.matches("[A-Za-z_][A-Za-z0-9_]*"))
                .map(name -> "${" + name + "+\"" + name + "=$" + name + "\"} ")
                .collect(Collectors.joining());
    }

    /** The command may write there what it likes: what is too long for a path, or no text, names no directory. */
    private static @Nullable String workdir(Path cwd) throws IOException {
        byte[] written = beginning(cwd);
        String path = new String(written, StandardCharsets.UTF_8);
        String line = path.endsWith("\n") ? path.substring(0, path.length() - 1) : path;
        boolean fits = written.length <= LONGEST;
        boolean text = Arrays.equals(path.getBytes(StandardCharsets.UTF_8), written);
        if (!line.isEmpty() && !(fits && text && isDirectory(line))) {
            Files.writeString(cwd, "");
            String what = fits && !text
                    ? "The name of this session's directory is not UTF-8"
                    : "The directory of this session, " + line + ", is not there any more";
            throw new Refusal(
                    ErrorKind.WORKDIR_NOT_FOUND,
                    what + "; nothing was run.",
                    "Call again: the session goes on in the workspace.");
        }
        return line.isEmpty() ? null : line;
    }

    private static byte[] beginning(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(LONGEST + 1);
        }
    }

    private static boolean isDirectory(String path) {
        try {
            return Files.isDirectory(Path.of(path));
        } catch (InvalidPathException no) {
            return false;
        }
    }

    private static String quoted(Object text) {
        return "'" + text.toString().replace("'", "'\\''") + "'";
    }
}
