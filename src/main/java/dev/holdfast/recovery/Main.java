package dev.holdfast.recovery;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.recovery.DataFolder.UnusableException;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.quarkus.runtime.configuration.ConfigUtils;
import io.smallrye.config.ConfigValidationException;
import io.smallrye.config.SmallRyeConfig;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.NoSuchElementException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Where the server begins: it takes the data folder before anything else is set up, so that one that cannot be used is
 * refused with a sentence, and nothing was written, opened or logged. So is a port that is taken.
 */
@QuarkusMain
public final class Main {
    private static final int REFUSED = 1;
    /** It would answer without a word, before any route; {@code dev.holdfast.api.Doors} answers with a problem. */
    private static final String URIS_ARE_NOT_CHECKED_BY_QUARKUS = "vertx.disableURIValidation";

    /** As the library tells of a setting, with names of classes before and numbers in the midst; the reason follows. */
    private static final Pattern UNREADABLE = Pattern.compile(
            "^.*?The config property (\\S+) with the config value \"(.*?)\" threw an Exception whilst being converted"
                    + "( SRCFG\\d+:)?",
            Pattern.DOTALL);

    private static final Pattern EMPTY = Pattern.compile("(?s)^.*The config property (\\S+) is defined as the empty.*");

    private Main() {}

    /** Returns when the server was stopped; a data folder that cannot be used ends the process with exit code 1. */
    public static void main(String... args) {
        System.setProperty(URIS_ARE_NOT_CHECKED_BY_QUARKUS, "true");
        try {
            serve(config(), args);
        } catch (UnusableException refused) {
            System.err.println(refused.getMessage());
            // Not exit: its hooks would print what was held back for a log that is not set up yet.
            Runtime.getRuntime().halt(REFUSED);
        } catch (ConfigValidationException _) {
            // Quarkus says which setting is wrong, and stops.
            Quarkus.run(args);
        }
    }

    private static void serve(SmallRyeConfig config, String... args) {
        try (DataFolder folder = new DataFolder(config.getConfigMapping(HoldfastConfig.class))) {
            folder.open();
            System.setProperty("holdfast.data-dir", folder.path().toString()); // H2 takes no path that is relative
            requireFree(config);
            Quarkus.run(args);
        }
    }

    /** Quarkus says to kill whoever listens there. What is wrong with a setting, it says well. */
    private static void requireFree(SmallRyeConfig config) {
        String address = "";
        try {
            String host = config.getValue("quarkus.http.host", String.class);
            int port = config.getValue("quarkus.http.port", Integer.class);
            address = host + ":" + port;
            new ServerSocket(port, 1, InetAddress.getByName(host)).close();
        } catch (BindException refused) {
            throw new UnusableException(
                    "Nobody can listen at " + address + " (" + refused.getMessage()
                            + "). Set QUARKUS_HTTP_PORT, or QUARKUS_HTTP_HOST, to what is free here; `ss -ltnp` tells who listens.");
        } catch (IOException | IllegalArgumentException | NoSuchElementException _) {
            // No port, or no address: Quarkus says so.
        }
    }

    /** The same sources that Quarkus reads; its own configuration does not know the mapping before it has started. */
    private static SmallRyeConfig config() {
        try {
            return ConfigUtils.configBuilder().withMapping(HoldfastConfig.class).build();
        } catch (ConfigValidationException wrong) {
            throw new UnusableException(IntStream.range(0, wrong.getProblemCount())
                    .mapToObj(problem -> wrong.getProblem(problem).getMessage())
                    .map(told -> UNREADABLE.matcher(told).replaceFirst("The setting $1 cannot be `$2`:"))
                    .map(told -> EMPTY.matcher(told)
                            .replaceFirst("The setting $1 is empty: give it a value, or leave it out."))
                    .collect(Collectors.joining("\n")));
        }
    }
}
