package dev.holdfast.runtime;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.call.Remedy;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.Sha256;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * Which command an idempotency key has: a file each, {@code <data>/keys/<SHA-256 of the key>}, there before the command
 * is started. Read when its key is asked for, never at start; swept after 24 hours. Thread-safe.
 */
@Singleton
public final class KeyFiles {
    private static final Logger LOG = Logger.getLogger(KeyFiles.class);
    private static final Duration KEPT = Duration.ofHours(24);

    private final Path folder;

    public KeyFiles(HoldfastConfig config) {
        this.folder = config.dataDir().resolve("keys");
    }

    /** @param command the one that its request was answered with */
    record Known(TaskId command, String bodyDigest) {}

    /** @throws Refusal whether it was used cannot be read, so that nothing may be started by it */
    Optional<Known> find(String key) {
        try {
            return read(file(key));
        } catch (IOException failure) {
            throw new Refusal(
                    ErrorKind.STORAGE_FULL,
                    "Whether this Idempotency-Key was used before cannot be read (" + failure
                            + "); nothing was started.",
                    Remedy.of(failure.toString(), "Try again; or use a new key if it is to run in any case."));
        }
    }

    /** Whether that is put down, as far as it can be read. */
    boolean has(String key, TaskId command) {
        return readable(file(key))
                .filter(known -> known.command().equals(command))
                .isPresent();
    }

    /** Those of all keys; reads each file. */
    Set<TaskId> commands() {
        return Stream.of(Objects.requireNonNullElse(folder.toFile().listFiles(), new File[0]))
                .flatMap(file -> readable(file.toPath()).stream())
                .map(Known::command)
                .collect(Collectors.toSet());
    }

    private static Optional<Known> read(Path file) throws IOException {
        try {
            String[] words = Files.readString(file).strip().split(" ", 2);
            return words.length == 2 ? TaskId.parse(words[0]).map(id -> new Known(id, words[1])) : Optional.empty();
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
    }

    private static Optional<Known> readable(Path file) {
        try {
            return read(file);
        } catch (IOException failure) {
            LOG.warnf("An idempotency key cannot be read: %s", failure);
            return Optional.empty();
        }
    }

    /** One that cannot be written holds as long as this server. What stands there is not written again: it is read. */
    void keep(Launch.Idempotency idempotency, TaskId command) {
        if (has(idempotency.key(), command)) {
            return;
        }
        try {
            Files.createDirectories(folder);
            Files.writeString(file(idempotency.key()), command.value() + " " + idempotency.bodyDigest() + "\n");
        } catch (IOException failure) {
            LOG.warnf("An idempotency key could not be kept beyond this server's life: %s", failure);
        }
    }

    /** @param now what stands for it where the clock is not believed */
    void sweep(Instant now) {
        Instant oldest = now.minus(KEPT);
        for (File file : Objects.requireNonNullElse(folder.toFile().listFiles(), new File[0])) {
            if (Instant.ofEpochMilli(file.lastModified()).isBefore(oldest)) {
                var _ = file.delete();
            }
        }
    }

    private Path file(String key) {
        return folder.resolve(Sha256.of(key));
    }
}
