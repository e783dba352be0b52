package dev.holdfast.store;

import dev.holdfast.config.HoldfastConfig;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.InstantSource;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.flywaydb.core.Flyway;
import org.h2.api.ErrorCode;
import org.jboss.logging.Logger;

/**
 * Makes the database ready while the server starts: probes the file, then brings its tables up to date. Observers of
 * the start with a priority above {@link #PRIORITY} may use the {@code TaskStore}; the port opens after all of them.
 */
@ApplicationScoped
public class StoreOpening {
    /** Lower is earlier. */
    public static final int PRIORITY = 100;

    private static final Logger LOG = Logger.getLogger(StoreOpening.class);

    private final Path file;
    private final Flyway flyway;
    private final StoreRescue rescue;

    StoreOpening(
            HoldfastConfig config,
            Flyway flyway,
            @ConfigProperty(name = "quarkus.datasource.jdbc.url") String url,
            @ConfigProperty(name = "quarkus.datasource.username") String user) {
        this.file = config.dataDir().toAbsolutePath().resolve("holdfast.mv.db");
        this.flyway = flyway;
        this.rescue = new StoreRescue(url, user, file, InstantSource.system());
    }

    void open(@Observes @Priority(PRIORITY) StartupEvent start) {
        // Held until the pool has a connection too, so that the file is opened once.
        try (Connection _ = rescue.open()) {
            flyway.migrate();
        } catch (SQLException | IOException e) {
            LOG.debug("The database cannot be opened", e);
            throw new ConfigurationException(refusal(e)); // Quarkus says it in one line, and ends
        }
    }

    private String refusal(Exception failure) {
        if (failure instanceof SQLException known && known.getErrorCode() == ErrorCode.DATABASE_ALREADY_OPEN_1) {
            return "The database " + file + " is in use by another server."
                    + " Stop that one, or set HOLDFAST_DATA_DIR to another folder.";
        }
        String problem =
                String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
        return "The database " + file + " cannot be opened (" + problem
                + "). Free disk space where there is none; else move it away: its rows are made again from the task"
                + " folders.";
    }
}
