package dev.holdfast.api;

import dev.holdfast.message.body.StartCommand;
import dev.holdfast.message.view.AnswerJson;
import dev.holdfast.message.view.Json;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;

/**
 * Has Jackson look at the records of a command and its answer while the server starts, on a thread of its own: it does
 * so once for each, some 30 ms, for which the first command would wait.
 */
@Singleton
public final class FirstUse {
    private static final byte[] COMMAND = "{\"cmd\":\"true\"}".getBytes(StandardCharsets.UTF_8);

    void begin(@Observes @Priority(1) StartupEvent start) {
        Thread.ofPlatform().name("first-use").daemon().start(() -> {
            StartCommand.parse(COMMAND);
            Json.prepare(AnswerJson.Completed.class);
            Json.prepare(AnswerJson.PromotedToTask.class);
        });
    }
}
