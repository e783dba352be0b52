package dev.holdfast.runtime;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.duplicate.Claims;
import dev.holdfast.duplicate.Fingerprint;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Set;

/** Wires the claims and the fingerprint, whose secret lies in {@code <data>/fingerprint.key}, mode 0600. */
final class DuplicateBeans {
    private static final int SECRET_BYTES = 32;

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
            Set<StandardOpenOption> create = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
            try (var channel = Files.newByteChannel(file, create, mode)) {
                channel.write(java.nio.ByteBuffer.wrap(secret));
            }
            return secret;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
