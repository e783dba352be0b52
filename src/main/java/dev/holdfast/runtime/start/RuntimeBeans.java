package dev.holdfast.runtime.start;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.config.OwnFiles;
import dev.holdfast.duplicate.Claims;
import dev.holdfast.duplicate.Fingerprint;
import dev.holdfast.task.TaskIds;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;

/**
 * What pure rooms offer, as the use cases need it; the secret of the fingerprint is {@code <data>/fingerprint.key},
 * mode 0600.
 */
final class RuntimeBeans {
    private static final int SECRET_BYTES = 32;

    @Produces
    @Singleton
    InstantSource clock() {
        return InstantSource.system();
    }

    @Produces
    @Singleton
    TaskIds taskIds(InstantSource clock) {
        return new TaskIds(clock, new SecureRandom());
    }

    @Produces
    @Singleton
    Claims claims() {
        return new Claims();
    }

    @Produces
    @Singleton
    Fingerprint fingerprint(HoldfastConfig config) {
        return new Fingerprint(secret(config.dataDir().resolve("fingerprint.key")));
    }

    private static byte[] secret(Path file) {
        try {
            if (Files.exists(file) && Files.size(file) == SECRET_BYTES) {
                return Files.readAllBytes(file);
            }
            byte[] secret = new byte[SECRET_BYTES];
            new SecureRandom().nextBytes(secret);
            Files.deleteIfExists(file);
            Files.write(Files.createFile(file, OwnFiles.FILE), secret);
            return secret;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
