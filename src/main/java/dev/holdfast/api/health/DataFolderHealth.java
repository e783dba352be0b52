package dev.holdfast.api.health;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.runtime.port.Journal;
import dev.holdfast.runtime.port.OutputStore;
import io.smallrye.health.api.Wellness;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;

/** Down while the data folder, of which a file that is written and deleted tells, or the journal takes nothing new. */
@Wellness
@Singleton
public record DataFolderHealth(HoldfastConfig config, OutputStore outputs, Journal journal) implements HealthCheck {
    private static final int BLOCK = 4096;

    @Override
    public HealthCheckResponse call() {
        Path folder = config.dataDir().toAbsolutePath();
        Optional<String> flaw = flaw(folder.resolve("health"))
                .or(() -> journal.flaw().map(why -> "The journal cannot be written (" + why + ")"));
        HealthCheckResponseBuilder response =
                HealthCheckResponse.named("data folder").status(flaw.isEmpty());
        flaw.ifPresent(text -> response.withData(
                folder.toString(),
                text + ". New commands are refused: free disk space, or make the folder writable again."));
        return response.build();
    }

    private Optional<String> flaw(Path file) {
        OutputStore.Space space = outputs.space();
        if (space.usable() < space.floor()) {
            return Optional.of(space.usable() + " bytes are free, less than holdfast.disk.floor");
        }
        try {
            Files.write(file, new byte[BLOCK]);
            return Optional.empty();
        } catch (IOException failure) {
            return Optional.of("It cannot be written (" + failure.getMessage() + ")");
        } finally {
            var _ = file.toFile().delete();
        }
    }
}
