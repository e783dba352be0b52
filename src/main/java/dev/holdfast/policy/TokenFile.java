package dev.holdfast.policy;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.task.Sandbox;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The bearers of all tokens but the operator's own, as the tokens file has them. It holds their SHA-256 alone. One that is
 * broken keeps its old tokens, and lets nobody in where it has none. Thread-safe; reads the disk at most once a second.
 */
@Singleton
public final class TokenFile {
    private static final Logger LOG = Logger.getLogger(TokenFile.class);
    private static final Set<String> OF_A_TOKEN = Set.of("name", "sha256", "role", "labels", "mode", "sandbox");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final Pattern SHA_256 = Pattern.compile("[0-9a-fA-F]{64}");
    private static final int MAX_LABELS = 16;

    private static final WatchedFile.Kind<Map<String, Actor>> TOKENS = new WatchedFile.Kind<>(
            "Tokens",
            "holdfast.tokens.file",
            "The old tokens hold.",
            "The operator's own token alone is let in.",
            TokenFile::read,
            (_, _) -> Map.of());

    private final WatchedFile<Map<String, Actor>> file;

    @Inject
    public TokenFile(HoldfastConfig config) {
        this(
                config.tokens().file().orElse(config.dataDir().resolve("tokens.yaml")),
                config.tokens().file().isEmpty(),
                System::nanoTime);
    }

    /** @param optional whether a file that is not there is none, and no flaw */
    TokenFile(Path path, boolean optional, LongSupplier nanoTime) {
        this.file = new WatchedFile<>(path, TOKENS, optional, nanoTime);
    }

    /** Whether there are others than the operator, or are to be. */
    boolean isThere() {
        return file.now() != null;
    }

    /** {@link Policy#flaws} of this one. */
    public Map<String, String> flaws() {
        return file.flaw();
    }

    /** Whose token has that {@link #digest}. The time that finding it takes tells nothing of any token. */
    public Optional<Actor> bearer(String digest) {
        Map<String, Actor> byDigest = file.now();
        return byDigest == null ? Optional.empty() : Optional.ofNullable(byDigest.get(digest));
    }

    /** The SHA-256 of a token, 64 hexadecimal digits in lower case. */
    public static String digest(String token) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }

    private static Map<String, Actor> read(Path path, String text) throws PolicyFileException {
        Map<String, Actor> byDigest = parse(text);
        LOG.infof("Tokens %s: %d besides the operator's own", path, byDigest.size());
        return byDigest;
    }

    /** The bearers by the SHA-256 of their tokens. */
    static Map<String, Actor> parse(String text) throws PolicyFileException {
        Yaml list = Yaml.parse(text, "tokens:").keys(Set.of("tokens")).get("tokens");
        if (list == null) {
            throw PolicyFileException.at(1, "`tokens` is missing", "Begin with `tokens:`, or remove the file.");
        }
        Map<String, Actor> byDigest = new HashMap<>();
        Set<String> names = new HashSet<>();
        for (Yaml item : list.items()) {
            Map<String, Yaml> keys = item.keys(OF_A_TOKEN);
            String name = name(needed(item, keys, "name"), names);
            Actor actor = new Actor(
                    name,
                    needed(item, keys, "role").constant(Role.class),
                    labels(keys.get("labels")),
                    keys.containsKey("mode") ? needed(item, keys, "mode").constant(Mode.class) : Mode.OPEN,
                    sandbox(keys.get("sandbox")));
            Yaml sha256 = needed(item, keys, "sha256");
            if (!SHA_256.matcher(sha256.text()).matches()) {
                throw sha256.flaw(
                        "is no SHA-256: it has 64 hexadecimal digits",
                        "Make it with printf %s \"$token\" | sha256sum.");
            }
            if (byDigest.put(sha256.text().toLowerCase(Locale.ROOT), actor) != null) {
                throw sha256.flaw("stands there twice", "Give each name a token of its own.");
            }
        }
        return Map.copyOf(byDigest);
    }

    private static Yaml needed(Yaml item, Map<String, Yaml> keys, String key) throws PolicyFileException {
        Yaml value = keys.get(key);
        if (value == null) {
            throw PolicyFileException.at(
                    item.line(), "a token has no `" + key + "`", "A token needs name, sha256 and role.");
        }
        return value;
    }

    private static String name(Yaml yaml, Set<String> names) throws PolicyFileException {
        String name = yaml.text();
        if (!NAME.matcher(name).matches()) {
            throw yaml.flaw(
                    "is no name for a token",
                    "It has 1 to 64 letters, digits, `.`, `_` and `-`, and begins with a letter or a digit.");
        }
        if (name.equalsIgnoreCase(Actor.OPERATOR.name())) {
            throw yaml.flaw(
                    "must not be `" + name + "`", "That is who bears the server's own token: take another one.");
        }
        if (!names.add(name)) {
            throw PolicyFileException.at(
                    yaml.line(), "the name `" + name + "` stands there twice", "Give each token a name of its own.");
        }
        return name;
    }

    private static Map<String, String> labels(@Nullable Yaml yaml) throws PolicyFileException {
        Map<String, String> labels = new LinkedHashMap<>();
        if (yaml != null) {
            for (Map.Entry<String, Yaml> label : yaml.keys().entrySet()) {
                if (label.getKey().isBlank() || label.getKey().indexOf('=') >= 0) {
                    throw label.getValue().flaw("is no label", "A key is not blank, and has no `=`.");
                }
                labels.put(label.getKey(), label.getValue().text());
            }
            if (labels.size() > MAX_LABELS) {
                throw yaml.flaw("has more than " + MAX_LABELS + " pairs", "Leave some out.");
            }
        }
        return labels;
    }

    private static @Nullable Sandbox sandbox(@Nullable Yaml yaml) throws PolicyFileException {
        if (yaml == null || yaml.text().equals("none")) {
            return null;
        }
        if (!RuleFile.WALLS.contains(yaml.text())) {
            throw yaml.flaw(
                    "is not `" + yaml.text() + "`",
                    "Write none, read_only or workspace_write, the last two also with +network.");
        }
        return Sandbox.parse(yaml.text());
    }
}
