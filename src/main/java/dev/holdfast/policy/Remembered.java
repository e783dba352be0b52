package dev.holdfast.policy;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.config.OwnFiles;
import dev.holdfast.policy.classes.CommandClass;
import dev.holdfast.policy.classes.Wildcard;
import dev.holdfast.policy.file.PolicyFileException;
import dev.holdfast.policy.file.Yaml;
import dev.holdfast.shell.SimpleCommand;
import dev.holdfast.task.Sandbox;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;

/**
 * What a person allowed for longer than once: until the server ends, or always, which {@code <data>/approved.yaml}
 * keeps and a person may edit. It lifts what a rule or a mode asks of, never a denial and never a protection.
 * Thread-safe; reads the file anew for each command that asks.
 */
@Singleton
public final class Remembered {
    private static final Logger LOG = Logger.getLogger(Remembered.class);
    private static final Set<String> KEYS = Set.of("actor", "command", "classes", "env", "sandbox", "by", "at");
    private static final String WALLS = "Write none, read_only or workspace_write, with +network where that was there.";
    private static final String HEAD =
            "# What a person allowed for always. Take an entry out, and its commands ask again.\n";

    private final Path file;
    private final List<Entry> session = new ArrayList<>();
    private String flaw = "";

    public Remembered(HoldfastConfig config) {
        this.file = config.dataDir().resolve("approved.yaml");
    }

    /**
     * What was allowed.
     *
     * @param actor whose commands it is for
     * @param command a pattern over the words of a simple command
     * @param classes the most that it may do
     * @param env the keys that its caller sets, these and no others
     * @param sandbox the lowest wall that it may run behind, null for none
     * @param by who allows it
     * @param at when, for who reads the file
     */
    public record Entry(
            String actor,
            String command,
            Set<CommandClass> classes,
            Set<String> env,
            @Nullable Sandbox sandbox,
            String by,
            String at) {
        private boolean holds(Action action, @Nullable Sandbox wall) {
            return actor.equals(action.actor().name())
                    && env.equals(action.env())
                    && Objects.equals(Sandbox.stricter(sandbox, wall), wall);
        }

        private Map<String, Object> form() {
            Map<String, Object> form = new LinkedHashMap<>();
            form.put("actor", actor);
            form.put("command", command);
            form.put(
                    "classes",
                    classes.stream()
                            .map(one -> one.name().toLowerCase(Locale.ROOT))
                            .toList());
            if (!env.isEmpty()) {
                form.put("env", env.stream().sorted().toList());
            }
            if (sandbox != null) {
                form.put("sandbox", sandbox.toString());
            }
            form.put("by", by);
            form.put("at", at);
            return form;
        }
    }

    /**
     * What the policy says, allowed where each command that asks was allowed for longer.
     *
     * @param wall that it runs behind, null for none; asked for where something asks
     */
    public Verdict settled(Action action, Verdict verdict, Supplier<@Nullable Sandbox> wall) {
        boolean asks = verdict.decision() == Decision.ASK && action.on() != Action.On.STOP;
        return asks && lifts(action, verdict, wall.get()) ? verdict.allowed() : verdict;
    }

    synchronized boolean lifts(Action action, Verdict verdict, @Nullable Sandbox wall) {
        List<SimpleCommand> commands = action.script().commands();
        if (!action.script().understood()
                || commands.size() != verdict.commands().size()) {
            return false;
        }
        List<Entry> all = Stream.concat(session.stream(), kept().stream())
                .filter(entry -> entry.holds(action, wall))
                .toList();
        for (int i = 0; i < commands.size(); i++) {
            Verdict.Command judged = verdict.commands().get(i);
            if (judged.decision() == Decision.ASK && !lifts(all, commands.get(i), judged)) {
                return false;
            }
        }
        return true;
    }

    private static boolean lifts(List<Entry> entries, SimpleCommand command, Verdict.Command judged) {
        String words = Suggestion.written(Match.allowedForm(command, judged.classes()));
        return !Policy.isBuiltin(judged.rule())
                && Suggestion.isPlain(command)
                && entries.stream()
                        .anyMatch(entry -> new Wildcard(entry.command()).matches(words)
                                && entry.classes().containsAll(judged.classes()));
    }

    /**
     * Allows it from now on.
     *
     * @param always beyond the end of this server
     * @throws IOException the file is broken, and is left as it is; or it cannot be written. Nothing is allowed then
     */
    public synchronized void remember(Entry entry, boolean always) throws IOException {
        if (!always) {
            session.add(entry);
            return;
        }
        try {
            List<Entry> all = new ArrayList<>(read());
            all.add(entry);
            write(all);
        } catch (PolicyFileException broken) {
            throw new IOException(broken.getMessage(), broken);
        }
    }

    /** As if it had never been allowed; where it cannot be taken out of the file the log says so. */
    public synchronized void forget(Entry entry) {
        try {
            List<Entry> all = new ArrayList<>(session.remove(entry) ? List.of() : read());
            if (all.remove(entry)) {
                write(all);
            }
        } catch (PolicyFileException | IOException failure) {
            LOG.errorf("%s was not allowed, take it out of %s: %s", entry.command(), file, failure.getMessage());
        }
    }

    /** The file, and why it can't be used; nothing of one that is well, or is not there. */
    public synchronized Map<String, String> flaws() {
        var _ = kept();
        return flaw.isEmpty() ? Map.of() : Map.of(file.toString(), flaw + " Nothing in it is allowed.");
    }

    /** A broken file allows nothing. */
    private List<Entry> kept() {
        try {
            List<Entry> entries = read();
            flaw = "";
            return entries;
        } catch (PolicyFileException | IOException broken) {
            String why = String.valueOf(broken.getMessage());
            if (!why.equals(flaw)) {
                LOG.errorf("%s can't be used, and so nothing in it is allowed: %s", file, why);
                flaw = why;
            }
            return List.of();
        }
    }

    private List<Entry> read() throws PolicyFileException, IOException {
        try {
            PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
            if (!attributes.isRegularFile()) {
                throw new PolicyFileException("it is no file. Remove it.");
            }
            if (attributes.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
                throw new PolicyFileException("everybody may write it. Run chmod o-w on it.");
            }
            return parse(Files.readString(file));
        } catch (NoSuchFileException none) {
            return List.of();
        }
    }

    private static List<Entry> parse(String text) throws PolicyFileException {
        if (text.isBlank()) {
            return List.of();
        }
        Map<String, Yaml> root = Yaml.parse(text, "version: 1").keys(Set.of("version", "approved"));
        Yaml list = root.get("approved");
        List<Entry> entries = new ArrayList<>();
        for (Yaml item : list == null ? List.<Yaml>of() : list.items()) {
            Map<String, Yaml> keys = item.keys(KEYS);
            Set<CommandClass> classes = Yaml.constants(needed(item, keys, "classes"), CommandClass.class);
            List<String> env = Yaml.texts(keys.get("env"));
            Yaml wall = keys.get("sandbox");
            entries.add(new Entry(
                    needed(item, keys, "actor").text(),
                    needed(item, keys, "command").text(),
                    classes,
                    Set.copyOf(env),
                    wall == null ? null : wall.wall(WALLS),
                    text(keys.get("by")),
                    text(keys.get("at"))));
        }
        return entries;
    }

    private static Yaml needed(Yaml item, Map<String, Yaml> keys, String key) throws PolicyFileException {
        Yaml value = keys.get(key);
        if (value == null) {
            throw item.flaw("has an entry without `" + key + "`", "An entry needs actor, command and classes.");
        }
        return value;
    }

    private static String text(@Nullable Yaml value) throws PolicyFileException {
        return value == null ? "" : value.text();
    }

    private void write(List<Entry> entries) throws IOException {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setDefaultScalarStyle(DumperOptions.ScalarStyle.DOUBLE_QUOTED);
        Map<String, Object> form = new LinkedHashMap<>();
        form.put("approved", entries.stream().map(Entry::form).toList());
        OwnFiles.write(file, HEAD + new org.yaml.snakeyaml.Yaml(options).dump(form));
    }
}
