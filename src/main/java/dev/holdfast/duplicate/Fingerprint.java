package dev.holdfast.duplicate;

import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * What makes two commands the same, as a digest: HMAC-SHA-256 in hexadecimal, over what is run, the working directory, the
 * terminal, input and the environment, values too. Keyed with a secret of the data folder's own, so that a digest on disk
 * tells nothing about the values. Every part is written with its length, so no two commands share an encoding.
 * Thread-safe; a few microseconds.
 */
public final class Fingerprint {
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec secret;

    /** @param secret at least 16 random bytes, the same for the life of the data folder */
    public Fingerprint(byte[] secret) {
        if (secret.length < 16) {
            throw new IllegalArgumentException("a secret of " + secret.length + " bytes is too short");
        }
        this.secret = new SecretKeySpec(secret, ALGORITHM);
    }

    /**
     * @param command with the real path of its working directory and its shell resolved
     * @param env what its caller asked for: a null value unsets
     */
    public String of(CommandSpec command, Map<String, ? extends @Nullable String> env) {
        Encoding encoding = new Encoding(mac());
        invocation(command.invocation(), encoding);
        encoding.text(command.workdir().toString());
        encoding.flag(command.tty());
        encoding.flag(command.acceptsInput());
        environment(env, encoding);
        return encoding.digest();
    }

    private static void invocation(Invocation invocation, Encoding encoding) {
        switch (invocation) {
            case Invocation.ShellText shell -> {
                encoding.number(1);
                encoding.text(shell.cmd());
                encoding.text(shell.shell());
                encoding.flag(shell.login());
            }
            case Invocation.Program program -> {
                encoding.number(2);
                texts(program.argv(), encoding);
            }
        }
    }

    private static void texts(List<String> texts, Encoding encoding) {
        encoding.number(texts.size());
        texts.forEach(encoding::text);
    }

    private static void environment(Map<String, ? extends @Nullable String> env, Encoding encoding) {
        encoding.number(env.size());
        new TreeMap<String, @Nullable String>(env).forEach((name, value) -> {
            encoding.text(name);
            encoding.flag(value != null);
            encoding.text(value == null ? "" : value);
        });
    }

    private Mac mac() {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
    }

    /** Numbers and flags have a fixed width, texts their length before them. */
    private record Encoding(Mac mac) {
        void number(int value) {
            mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, value));
        }

        void flag(boolean value) {
            mac.update((byte) (value ? 1 : 0));
        }

        void text(String value) {
            byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
            number(bytes.length);
            mac.update(bytes);
        }

        String digest() {
            return HexFormat.of().formatHex(mac.doFinal());
        }
    }
}
