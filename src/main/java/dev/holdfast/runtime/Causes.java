package dev.holdfast.runtime;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.TaskId;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * Why Holdfast itself is ending a command, on disk before the first signal is sent, so that a server that dies meanwhile
 * leaves no ending without its reason. Thread-safe.
 */
@Singleton
public final class Causes {
    private static final Logger LOG = Logger.getLogger(Causes.class);

    private final Path dataDir;

    @Inject
    public Causes(HoldfastConfig config) {
        this(config.dataDir());
    }

    Causes(Path dataDir) {
        this.dataDir = dataDir;
    }

    /** Best effort: a full disk does not keep a command from being stopped. */
    void write(TaskId id, EndedBy cause) {
        try {
            Files.writeString(TaskFolder.of(dataDir, id).cause(), cause.name());
        } catch (IOException failure) {
            LOG.warnf("Why %s is ended (%s) could not be written down: %s", id, cause, failure);
        }
    }

    public Optional<EndedBy> read(TaskId id) {
        try {
            String name = Files.readString(TaskFolder.of(dataDir, id).cause());
            for (EndedBy cause : EndedBy.values()) {
                if (cause.name().equals(name)) {
                    return Optional.of(cause);
                }
            }
            return Optional.empty();
        } catch (IOException none) {
            return Optional.empty();
        }
    }
}
