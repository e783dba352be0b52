package dev.holdfast.runtime.start;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.config.HoldfastConfig.Inherit;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The environment a command gets: what it inherits from the server by {@code holdfast.env.inherit}, what makes programs
 * behave where nobody sees a screen, then what its caller set and unset. Values live in memory only. Thread-safe.
 */
@Singleton
public final class CommandEnvironment {
    private static final Set<String> CORE = Set.of(
            "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "XDG_RUNTIME_DIR", "PWD");

    /** Words that mark a variable as a secret by its name; matched between underscores, so that PASSAGE is none. */
    private static final Pattern SECRET = Pattern.compile(
            "(?i)(^|_)(TOKENS?|SECRETS?|PASS|PASSWD|PASSWORDS?|PASSPHRASE|CREDENTIALS?|AUTH|AUTHORIZATION|COOKIE|PRIVATE"
                    + "|APIKEYS?|PAT|JWT|DSN|SIGNATURE|BEARER|KEYS?)(_|$)"
                    + "|(?i)(password|passwd|secret|token|apikey|api_key|accesskey|privatekey|credential)");

    /**
     * For a command without a terminal: no colours, no pager, no prompt that nobody answers, and no lock that git takes
     * only to write down what it saw: {@code git status} is to change nothing, and to be in nobody's way.
     */
    private static final Map<String, String> WITHOUT_TERMINAL =
            variables("NO_COLOR=1 TERM=dumb PAGER=cat GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0");
    /** For plain text, in a terminal too; as Codex has it. */
    private static final Map<String, String> PLAIN = variables("NO_COLOR=1 TERM=dumb COLORTERM= PAGER=cat GIT_PAGER=cat"
            + " GH_PAGER=cat LANG=C.UTF-8 LC_CTYPE=C.UTF-8 LC_ALL=C.UTF-8");
    /** {@code LC_ALL} as the server's caller had it: the script sets another one for the JVM's own file names. */
    private static final String GIVEN_LOCALE = "HOLDFAST_LC_ALL";

    private final Map<String, String> server;
    private final Map<String, String> inherited;

    private static Map<String, String> variables(String text) {
        return Stream.of(text.split(" ", -1))
                .map(one -> one.split("=", 2))
                .collect(Collectors.toMap(one -> one[0], one -> one[1]));
    }

    @Inject
    public CommandEnvironment(HoldfastConfig config) {
        this(System.getenv(), config.env().inherit());
    }

    public CommandEnvironment(Map<String, String> server, Inherit inherit) {
        this.server = Map.copyOf(server);
        Map<String, String> kept = new HashMap<>(server);
        String given = server.get(GIVEN_LOCALE);
        if (given != null) {
            set(kept, "LC_ALL", given.isEmpty() ? null : given);
        }
        kept.keySet().removeIf(name -> !inherits(name, inherit));
        this.inherited = Map.copyOf(kept);
    }

    private static boolean inherits(String name, Inherit inherit) {
        if (name.startsWith("HOLDFAST_") || name.startsWith("QUARKUS_")) {
            return false;
        }
        return switch (inherit) {
            case ALL -> true;
            case CORE -> CORE.contains(name) || name.startsWith("LC_");
            case FILTERED -> !SECRET.matcher(name).find();
        };
    }

    /** A value of the server's own. */
    @Nullable
    String ofServer(String name) {
        return server.get(name);
    }

    Map<String, String> of(StartRequest request) {
        Map<String, String> environment = new HashMap<>(inherited);
        if (request.terminal() == null) {
            environment.putAll(WITHOUT_TERMINAL);
        } else {
            environment.put("TERM", "xterm-256color");
        }
        if (request.plain()) {
            environment.putAll(PLAIN);
        }
        request.env().forEach((name, value) -> set(environment, name, value));
        return environment;
    }

    private static void set(Map<String, String> environment, String name, @Nullable String value) {
        if (value == null) {
            environment.remove(name);
        } else {
            environment.put(name, value);
        }
    }
}
