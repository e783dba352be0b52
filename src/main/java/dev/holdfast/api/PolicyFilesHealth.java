package dev.holdfast.api;

import dev.holdfast.policy.Policy;
import dev.holdfast.policy.actor.TokenFile;
import io.smallrye.health.api.Wellness;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;

/**
 * Down while a policy or tokens file can't be used, with the file and its flaw. The server works on, by what held
 * before: it stays ready and live.
 */
@Wellness
@Singleton
public final class PolicyFilesHealth implements HealthCheck {
    private final Policy policy;
    private final TokenFile tokens;

    @Inject
    public PolicyFilesHealth(Policy policy, TokenFile tokens) {
        this.policy = policy;
        this.tokens = tokens;
    }

    @Override
    public HealthCheckResponse call() {
        Map<String, String> flaws = new TreeMap<>(policy.flaws());
        flaws.putAll(tokens.flaws());
        HealthCheckResponseBuilder response =
                HealthCheckResponse.named("policy files").status(flaws.isEmpty());
        flaws.forEach(response::withData);
        return response.build();
    }
}
