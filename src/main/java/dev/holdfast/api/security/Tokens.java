package dev.holdfast.api.security;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.config.OwnFiles;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.TokenFile;
import dev.holdfast.task.Sha256;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import java.util.function.Function;

/**
 * Who bears which token. The operator's own is from the configuration, else from {@code <data>/token}, which the first
 * start makes with mode 0600; it holds until the server is started again. All others are those of the
 * {@link TokenFile}, which is looked at only for them. Thread-safe.
 */
@Singleton
public final class Tokens {
    private static final int RANDOM_BYTES = 32;

    private final byte[] expected;
    private final String digest;
    private final Function<String, Optional<Actor>> others;

    @Inject
    public Tokens(HoldfastConfig config, TokenFile others) {
        this(config.token().orElse(""), config.dataDir(), others::bearer);
    }

    /**
     * @param configured blank for none: then the file in {@code dataDir} holds
     * @param others the bearers by the digests of their tokens
     */
    Tokens(String configured, Path dataDir, Function<String, Optional<Actor>> others) {
        this(configured.isBlank() ? kept(dataDir) : configured.strip(), others);
    }

    Tokens(String token, Function<String, Optional<Actor>> others) {
        if (!token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new ConfigurationException(
                    "The token must be printable ASCII without blanks, or it cannot be sent in a header."
                            + " Correct HOLDFAST_TOKEN, or the file `token` of the data folder.");
        }
        this.expected = token.getBytes(StandardCharsets.US_ASCII);
        this.digest = Sha256.of(token);
        this.others = others;
    }

    /** Whose token that is; takes the same time wherever its first difference from the operator's is. */
    Optional<Actor> bearer(String presented) {
        boolean own = MessageDigest.isEqual(expected, presented.getBytes(StandardCharsets.UTF_8));
        return own ? Optional.of(Actor.OPERATOR) : others.apply(Sha256.of(presented));
    }

    /** Whose token has that {@link Sha256}, as long as it holds. */
    Optional<Actor> bearerOf(String digest) {
        return digest.equals(this.digest) ? Optional.of(Actor.OPERATOR) : others.apply(digest);
    }

    /** A token for somebody; begins with a letter, so that it is no option of a command. */
    public static String made() {
        return "hf_" + random();
    }

    /** What nobody guesses, in letters that an address and a cookie can hold. */
    static String random() {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    private static String kept(Path dataDir) {
        Path file = dataDir.resolve("token");
        try {
            if (!Files.exists(file)) {
                create(dataDir, file);
            }
            if (!Files.isRegularFile(file)) {
                throw new IOException("it is no file");
            }
            if (!Files.getPosixFilePermissions(file).equals(OwnFiles.FILE.value())) {
                Files.setPosixFilePermissions(file, OwnFiles.FILE.value());
            }
            String text = Files.readString(file).strip();
            if (text.isEmpty()) {
                throw new IOException("it is empty");
            }
            return text;
        } catch (IOException e) {
            String why = switch (e) {
                case AccessDeniedException _ -> "permission denied";
                case CharacterCodingException _ -> "it is not text";
                default -> e.getMessage();
            };
            throw new ConfigurationException("The token cannot be read or made in " + file + " (" + why
                    + "). Write one into it, or move it away to get a new one; or set HOLDFAST_TOKEN.");
        }
    }

    /** Whole or not at all, and never over another's: written aside, then linked into place. */
    private static void create(Path dataDir, Path file) throws IOException {
        OwnFiles.folder(dataDir);
        Path aside = Files.createTempFile(dataDir, "token", ".new", OwnFiles.FILE);
        try {
            Files.writeString(aside, random() + "\n");
            Files.createLink(file, aside);
        } catch (FileAlreadyExistsException e) {
            // Another server made it in the meantime: its token is the one.
            return;
        } finally {
            Files.deleteIfExists(aside);
        }
    }
}
