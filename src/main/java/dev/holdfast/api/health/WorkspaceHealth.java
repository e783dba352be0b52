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
public final class WorkspaceHealth implements HealthCheck {
    private final Path workspace;

    public WorkspaceHealth(HoldfastConfig config) {
        this.workspace = config.workspace().orElse(Path.of("")).toAbsolutePath();
    }

    @Override
    public HealthCheckResponse call() {
        boolean there = Files.isDirectory(workspace);
        HealthCheckResponseBuilder response =
                HealthCheckResponse.named("workspace").status(there);
        return there
                ? response.build()
                : response.withData(workspace.toString(), "is no folder").build();
    }
}
