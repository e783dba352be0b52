package dev.holdfast.store;

import io.quarkus.test.junit.QuarkusTestProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A data folder, and so a database file, for the tests of the database alone: the application starts once for them. */
public class OwnDatabase implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
        try {
            Path target = Files.createDirectories(Path.of("target").toAbsolutePath());
            Path folder = Files.createTempDirectory(target, "own-database");
            return Map.of("holdfast.data-dir", folder.resolve("data").toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
