package dev.holdfast.store;

import dev.holdfast.config.HoldfastConfig;
import io.quarkus.runtime.StartupEvent;
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

/**
 * Makes the database ready while the server starts: probes the file, then brings its tables up to date. Observers of
 * the start with a priority above {@link #PRIORITY} may use the {@code TaskStore}; the port opens after all of them.
 */
@ApplicationScoped
public class StoreOpening {
    /** Lower is earlier. */
    public static final int PRIORITY = 100;

    private final Path dataDir;
    private final String url;
    private final String user;
    private final Flyway flyway;

    StoreOpening(
            HoldfastConfig config,
            Flyway flyway,
            @ConfigProperty(name = "quarkus.datasource.jdbc.url") String url,
            @ConfigProperty(name = "quarkus.datasource.username") String user) {
        this.dataDir = config.dataDir().toAbsolutePath();
        this.flyway = flyway;
        this.url = url;
        this.user = user;
    }

    void open(@Observes @Priority(PRIORITY) StartupEvent start) throws IOException, SQLException {
        StoreRescue rescue = new StoreRescue(url, user, dataDir.resolve("holdfast.mv.db"), InstantSource.system());
        // Held until the pool has a connection too, so that the file is opened once.
        try (Connection _ = rescue.open()) {
            flyway.migrate();
        } catch (SQLException e) {
            if (e.getErrorCode() == ErrorCode.DATABASE_ALREADY_OPEN_1) {
                throw inUse(e);
            }
            throw e;
        }
    }

    private IOException inUse(SQLException e) {
        return new IOException(
                "another server uses the data folder " + dataDir
                        + "; stop it, or give this one a folder of its own with HOLDFAST_DATA_DIR",
                e);
    }
}
