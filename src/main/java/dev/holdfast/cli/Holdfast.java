package dev.holdfast.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.server.Refused;
import dev.holdfast.cli.terminal.Failure;
import dev.holdfast.cli.terminal.Page;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The {@code holdfast} command but for the server itself and MCP, which the script starts. */
@Command(
        name = "holdfast",
        description = "Runs commands that outlive the server, the terminal and you.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "An ID may be any beginning of it that is unique.",
            "Exit codes: 0, 1 an error, 2 wrong usage, 69 no server; run and wait as the command did."
        })
public final class Holdfast {
    /** As a shell tells that a program was ended by a closed pipe. */
    private static final int CLOSED_PIPE = 141;

    @Option(
            names = "--url",
            paramLabel = "URL",
            scope = ScopeType.INHERIT,
            description = "of the server; else HOLDFAST_URL, else the one of this machine")
    String url = "";

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            scope = ScopeType.INHERIT,
            description = "else HOLDFAST_TOKEN, else the one in the data folder")
    @Nullable
    String token;

    @Option(names = "--json", scope = ScopeType.INHERIT, description = "print what the server answers")
    boolean json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "tells what there is")
    boolean help;

    public static void main(String... arguments) {
        // Not exit: a thread may hang in a read of what is typed.
        Runtime.getRuntime().halt(run(arguments));
    }

    /** @return the exit code */
    static int run(String... arguments) {
        try {
            if (unreadable(arguments)) {
                throw new Failure(
                        Failure.MISUSED, "what it was given is not UTF-8: bytes of another charset, or of none");
            }
            return byHand(arguments)
                    .map(Holdfast::called)
                    .orElseGet(() -> Commands.line(arguments).execute(arguments));
        } catch (RuntimeException failure) {
            return failed(failure, new Holdfast());
        }
    }

    /** Whether a word is not what was typed: the JVM replaces what it cannot decode. */
    private static boolean unreadable(String... arguments) {
        try {
            return String.join("", arguments).indexOf('\ufffd') >= 0
                    && !isUtf8(Files.readAllBytes(Path.of("/proc/self/cmdline")));
        } catch (IOException unknown) {
            return true;
        }
    }

    private static boolean isUtf8(byte[] bytes) {
        try {
            UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException wrong) {
            return false;
        }
    }

    /**
     * What is asked most often, in its usual words: picocli takes as long to read them as all the rest does. Empty for
     * others.
     */
    private static Optional<Verb> byHand(String... arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        if (arguments.length == 1 && first.matches("version|--version|-V")) {
            return Optional.of(new VersionCommand());
        }
        if (!first.equals("ps")) {
            return Optional.empty();
        }
        var root = new Holdfast();
        var ps = new TaskCommands.Ps();
        ps.of(root);
        for (int i = 1; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "-a" -> ps.all = true;
                case "-q" -> ps.quiet = true;
                case "--json" -> root.json = true;
                default -> {
                    return Optional.empty();
                }
            }
        }
        return Optional.of(ps);
    }

    private static int called(Verb verb) {
        try {
            return verb.call();
        } catch (IOException | RuntimeException failure) {
            return failed(failure, verb.holdfast());
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            return Failure.ERROR;
        }
    }

    /** Says what failed, and in JSON what the server refused with; its exit code. */
    static int failed(Exception failure, Holdfast asked) {
        if (failure instanceof Page.Closed) {
            return CLOSED_PIPE;
        }
        if (asked.json && failure instanceof Refused refused) {
            Page.json(refused.problem());
        }
        Told told = Told.of(failure, () -> asked.api().isLocal());
        Page.note(told.words());
        return told.code();
    }

    Api api() {
        return new Api(settings());
    }

    /** Environment variables, and the options in the place of theirs. */
    Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>(System.getenv());
        if (!url.isEmpty()) {
            settings.put("HOLDFAST_URL", url);
        }
        if (token != null) {
            settings.put("HOLDFAST_TOKEN", token);
        }
        return settings;
    }
}
