package dev.holdfast.api.health;

import dev.holdfast.policy.Policy;
import dev.holdfast.policy.Remembered;
import dev.holdfast.policy.actor.TokenFile;
import io.smallrye.health.api.Wellness;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;

/**
 * Down while a policy or tokens file, or the one of what was allowed for always, can't be used, with the file and its
 * flaw. The server works on, by what held before: it stays ready and live.
 */
@Wellness
@Singleton
public record PolicyFilesHealth(Policy policy, TokenFile tokens, Remembered remembered) implements HealthCheck {
    @Override
    public HealthCheckResponse call() {
        Map<String, String> flaws = new TreeMap<>(policy.flaws());
        flaws.putAll(tokens.flaws());
        flaws.putAll(remembered.flaws());
        HealthCheckResponseBuilder response =
                HealthCheckResponse.named("policy files").status(flaws.isEmpty());
        flaws.forEach(response::withData);
        return response.build();
    }
}
