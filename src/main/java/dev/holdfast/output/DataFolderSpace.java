package dev.holdfast.output;

import dev.holdfast.config.HoldfastConfig;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.nio.file.Path;

/** How much room is left where the data folder lies. One {@code statvfs} a call; thread-safe. */
@ApplicationScoped
public class DataFolderSpace {
    private final Path dataDir;
    private final long floor;

    /** @param floor free bytes below which nothing new may start */
    public DataFolderSpace(Path dataDir, long floor) {
        this.dataDir = dataDir;
        this.floor = floor;
    }

    @Inject
    DataFolderSpace(HoldfastConfig config) {
        this(config.dataDir(), config.disk().floor());
    }

    /** Bytes this user can still write there; 0 when the folder is not there. */
    public long usable() {
        return dataDir.toFile().getUsableSpace();
    }

    /** {@code holdfast.disk.floor}, in bytes. */
    public long floor() {
        return floor;
    }

    /** Whether there is less than the floor: new work is to be refused with {@code storage_full}. */
    public boolean low() {
        return usable() < floor;
    }
}
