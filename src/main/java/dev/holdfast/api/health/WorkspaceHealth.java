package dev.holdfast.api.health;

import dev.holdfast.config.HoldfastConfig;
import io.smallrye.health.api.Wellness;
import jakarta.inject.Singleton;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;

/** Down while the workspace is not there: commands that name no folder of their own are refused. */
@Wellness
@Singleton
public record WorkspaceHealth(HoldfastConfig config) implements HealthCheck {
    @Override
    public HealthCheckResponse call() {
        Path workspace = config.workspace().orElse(Path.of("")).toAbsolutePath();
        boolean there = Files.isDirectory(workspace);
        HealthCheckResponseBuilder response =
                HealthCheckResponse.named("workspace").status(there);
        return there
                ? response.build()
                : response.withData(workspace.toString(), "is no folder").build();
    }
}
