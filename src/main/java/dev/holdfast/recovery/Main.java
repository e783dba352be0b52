package dev.holdfast.recovery;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.recovery.DataFolder.UnusableException;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.quarkus.runtime.configuration.ConfigUtils;
import io.smallrye.config.ConfigValidationException;

/**
 * Where the server begins: it takes the data folder before anything else is set up, so that one that cannot be used is
 * refused with a sentence, and nothing was written, opened or logged.
 */
@QuarkusMain
public final class Main {
    private static final int REFUSED = 1;
    /**
     * It would answer them without a word, before any route; {@code dev.holdfast.api.Doors} answers them with a
     * problem.
     */
    private static final String URIS_ARE_NOT_CHECKED_BY_QUARKUS = "vertx.disableURIValidation";

    private Main() {}

    /** Returns when the server was stopped; a data folder that cannot be used ends the process with exit code 1. */
    public static void main(String... args) {
        System.setProperty(URIS_ARE_NOT_CHECKED_BY_QUARKUS, "true");
        try (DataFolder folder = new DataFolder(config().dataDir())) {
            folder.open();
            Quarkus.run(args);
        } catch (UnusableException refused) {
            System.err.println(refused.getMessage());
            // Not exit: its hooks would print what was held back for a log that is not set up yet.
            Runtime.getRuntime().halt(REFUSED);
        } catch (ConfigValidationException _) {
            // Quarkus says which setting is wrong, and stops.
            Quarkus.run(args);
        }
    }

    /** The same sources that Quarkus reads; its own configuration does not know the mapping before it has started. */
    private static HoldfastConfig config() {
        return ConfigUtils.configBuilder()
                .withMapping(HoldfastConfig.class)
                .build()
                .getConfigMapping(HoldfastConfig.class);
    }
}
