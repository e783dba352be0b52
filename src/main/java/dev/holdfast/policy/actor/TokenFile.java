package dev.holdfast.policy.actor;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.config.OwnFiles;
import dev.holdfast.policy.file.PolicyFileException;
import dev.holdfast.policy.file.WatchedFile;
import dev.holdfast.policy.file.Yaml;
import dev.holdfast.task.Sandbox;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The bearers of all tokens but the operator's own, as the tokens file has them. It holds their SHA-256 alone. One that
 * is broken keeps its old tokens, lets nobody in where it has none, and is not changed. Thread-safe; reads the disk at
 * most once a second, or when it is changed or listed here.
 */
@Singleton
public final class TokenFile {
    private static final Logger LOG = Logger.getLogger(TokenFile.class);
    private static final Set<String> OF_A_TOKEN = Set.of("name", "sha256", "role", "labels", "mode", "sandbox");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final Pattern SHA_256 = Pattern.compile("[0-9a-fA-F]{64}");
    private static final int MAX_LABELS = 16;
    /** The second by former versions, in small letters. */
    private static final Set<String> OF_THE_SERVER = Set.of(Actor.SYSTEM, "holdfast");

    private static final WatchedFile.Kind<Map<String, Actor>> TOKENS = new WatchedFile.Kind<>(
            "Tokens",
            "holdfast.tokens.file",
            "The old tokens hold.",
            "The operator's own token alone is let in.",
            TokenFile::read,
            (_, _) -> Map.of());

    private final Path path;
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
        this.path = path;
        this.file = new WatchedFile<>(path, TOKENS, optional, nanoTime);
    }

    /** Whether there are others than the operator, or are to be. */
    public boolean isThere() {
        return file.now() != null;
    }

    /** The file when it can't be used as it stands, and why. */
    public Map<String, String> flaws() {
        return file.flaw();
    }

    /** Whose token has that {@link Sha256}. The time that finding it takes tells nothing of any token. */
    public Optional<Actor> bearer(String digest) {
        Map<String, Actor> byDigest = file.now();
        return byDigest == null ? Optional.empty() : Optional.ofNullable(byDigest.get(digest));
    }

    /** Who has that name by now, as {@link #bearer} has it. */
    public Optional<Actor> named(String name) {
        Map<String, Actor> byDigest = file.now();
        return byDigest == null
                ? Optional.empty()
                : byDigest.values().stream()
                        .filter(actor -> actor.name().equals(name))
                        .findFirst();
    }

    /**
     * The bearers in the order of the file, as it stands now.
     *
     * @throws IOException it cannot be read, or is broken: says where, and what to do
     */
    public synchronized List<Actor> all() throws IOException {
        return List.copyOf(checked(text()).values());
    }

    /**
     * Lets one more in, from now on.
     *
     * @param digest of its token
     * @return false where one has that name; then nothing changes
     * @throws IllegalArgumentException no token can be like that: says why
     * @throws IOException as in {@link #all}, or it cannot be written
     */
    public synchronized boolean add(Actor actor, String digest) throws IOException {
        String alone = TokenText.of(actor, digest);
        try {
            parse(alone);
        } catch (PolicyFileException e) {
            throw new IllegalArgumentException(e.getMessage().replaceFirst("^line \\d+: ", ""), e);
        }
        String text = text();
        Map<String, Actor> bearers = new LinkedHashMap<>(checked(text));
        if (named(bearers, actor.name()) >= 0) {
            return false;
        }
        bearers.put(digest, actor);
        write(text.isBlank() ? alone : new TokenText(text).with(actor, digest), bearers);
        return true;
    }

    /**
     * Lets one in no more.
     *
     * @return false where none has that name
     * @throws IOException as in {@link #add}
     */
    public synchronized boolean remove(String name) throws IOException {
        String text = text();
        Map<String, Actor> bearers = new LinkedHashMap<>(checked(text));
        int index = named(bearers, name);
        if (index < 0) {
            return false;
        }
        bearers.values().removeIf(actor -> actor.name().equals(name));
        write(new TokenText(text).without(index), bearers);
        return true;
    }

    private static int named(Map<String, Actor> bearers, String name) {
        return bearers.values().stream().map(Actor::name).toList().indexOf(name);
    }

    /** Empty where there is no file. */
    private String text() throws IOException {
        return Files.exists(path) ? Files.readString(path) : "";
    }

    private Map<String, Actor> checked(String text) throws IOException {
        file.lookNow();
        Map<String, String> flaw = file.flaw();
        if (!flaw.isEmpty()) {
            throw new IOException(flaw.values().iterator().next());
        }
        try {
            return text.isBlank() ? Map.of() : parse(text);
        } catch (PolicyFileException broken) {
            throw new IOException(broken.getMessage(), broken);
        }
    }

    private static boolean says(String text, Map<String, Actor> expected) {
        try {
            return parse(text).equals(expected);
        } catch (PolicyFileException broken) {
            return false;
        }
    }

    /** Whole or not at all, with the rights that it had, and behind a link what the link names. */
    private void write(String text, Map<String, Actor> expected) throws IOException {
        if (!says(text, expected)) {
            throw new IOException("it is written in a way that cannot be changed here. Change it by hand.");
        }
        Path target = Files.exists(path) ? path.toRealPath() : path;
        Set<PosixFilePermission> rights =
                Files.exists(target) ? Files.getPosixFilePermissions(target) : OwnFiles.FILE.value();
        Path unfinished = target.resolveSibling(target.getFileName() + ".new");
        Files.deleteIfExists(unfinished);
        Files.createFile(unfinished, OwnFiles.FILE);
        try {
            Files.writeString(unfinished, text, StandardOpenOption.SYNC);
            Files.setPosixFilePermissions(unfinished, rights);
            Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(unfinished);
        }
        file.lookNow();
    }

    private static Map<String, Actor> read(Path path, String text) throws PolicyFileException {
        Map<String, Actor> byDigest = parse(text);
        LOG.infof("Tokens %s: %d besides the operator's own", path, byDigest.size());
        return byDigest;
    }

    /** The bearers by the SHA-256 of their tokens, in the order of the text. */
    static Map<String, Actor> parse(String text) throws PolicyFileException {
        Yaml list = Yaml.parse(text, "tokens:").keys(Set.of("tokens")).get("tokens");
        if (list == null) {
            throw PolicyFileException.at(1, "`tokens` is missing", "Begin with `tokens:`, or remove the file.");
        }
        Map<String, Actor> byDigest = new LinkedHashMap<>();
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
        return Collections.unmodifiableMap(byDigest);
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
        if (OF_THE_SERVER.contains(name.toLowerCase(Locale.ROOT))) {
            throw yaml.flaw(
                    "must not be `" + name + "`", "The journal has it for the server itself: take another one.");
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
        return yaml == null
                ? null
                : yaml.wall("Write none, read_only or workspace_write, the last two also with +network.");
    }
}
