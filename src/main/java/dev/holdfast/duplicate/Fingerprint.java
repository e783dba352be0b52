package dev.holdfast.duplicate;

import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * What makes two commands the same, as one short text: HMAC-SHA-256 over everything that counts. Keyed with a secret of
 * the data folder, so that what is stored tells nothing of the values in an environment. Thread-safe.
 */
public final class Fingerprint {
    private static final String ALGORITHM = "HmacSHA256";

    /** Used by its clones alone. */
    private final Mac keyed;

    /** @param secret at least 16 bytes, the same as long as digests are compared */
    public Fingerprint(byte[] secret) {
        if (secret.length < 16) {
            throw new IllegalArgumentException("a secret of " + secret.length + " bytes is too short");
        }
        try {
            // Here, at the start: Java reads files for its first one, and has none any more where that failed once.
            keyed = Mac.getInstance(ALGORITHM);
            keyed.init(new SecretKeySpec(secret, ALGORITHM));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("Every Java platform has " + ALGORITHM, impossible);
        }
    }

    /**
     * 64 hexadecimal digits, equal for the same command only.
     *
     * @param environment what the caller set, null for what it unset
     */
    public String of(CommandSpec command, Map<String, @Nullable String> environment) {
        Mac mac = mac();
        add(mac, command.invocation());
        add(mac, command.workdir().toString());
        add(mac, command.tty() ? "tty" : "");
        add(mac, command.acceptsInput() ? "input" : "");
        new TreeMap<>(environment).forEach((name, value) -> {
            add(mac, name);
            add(mac, value == null ? "unset" : "set");
            add(mac, value == null ? "" : value);
        });
        if (command.owner() != null) {
            add(mac, "owner");
            add(mac, command.owner());
        }
        if (command.sandbox() != null) { // nothing is added without one: what runs since before there were any is known
            add(mac, "sandbox");
            add(mac, command.sandbox().toString());
        }
        return HexFormat.of().formatHex(mac.doFinal());
    }

    private static void add(Mac mac, Invocation invocation) {
        switch (invocation) {
            case Invocation.ShellText text -> {
                add(mac, "cmd");
                add(mac, text.cmd());
                add(mac, text.shell());
                add(mac, text.login() ? "login" : "");
            }
            case Invocation.Program program -> {
                add(mac, "argv");
                add(mac, Integer.toString(program.argv().size()));
                program.argv().forEach(argument -> add(mac, argument));
            }
        }
    }

    /** Each part with its length before it, so that no two different lists of parts read alike. */
    private static void add(Mac mac, String part) {
        byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
        mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
        mac.update(bytes);
    }

    private Mac mac() {
        try {
            return (Mac) keyed.clone();
        } catch (CloneNotSupportedException impossible) {
            throw new IllegalStateException("The platform's " + ALGORITHM + " can be cloned", impossible);
        }
    }
}
