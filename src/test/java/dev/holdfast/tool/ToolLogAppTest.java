package dev.holdfast.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.call.Acting;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.task.TaskId;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A line in the log for each call, however it went. */
@QuarkusTest
class ToolLogAppTest {
    private static final String ID = "task_01JABCDEFGHJKMNPQRSTVWXYZ0";

    @Inject
    ToolRegistry tools;

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            lines.add(String.format(line.getMessage(), line.getParameters()));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        Logger.getLogger(ToolRegistry.class.getName()).addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        Logger.getLogger(ToolRegistry.class.getName()).removeHandler(handler);
    }

    record Input(@Nullable String secret) {}

    /** Does what it is given to do. */
    @ToolDescription(
            profile = Profile.HOLDFAST,
            name = "Probe",
            description = "",
            effect = ToolDescription.Effect.READS)
    private record Probe(Supplier<Outcome> work) implements Tool<Input> {
        @Override
        public Outcome run(Input input, Call call) {
            return work.get();
        }
    }

    private void call(Supplier<Tool.Outcome> work) {
        byte[] input = "{\"secret\":\"hunter2\"}".getBytes(StandardCharsets.UTF_8);
        Acting.as(Actor.OPERATOR, () -> tools.call(new Probe(work), input, new Call(Call.NO_LIMIT)));
    }

    private void told(String line) {
        assertThat(lines)
                .singleElement()
                .asString()
                .startsWith("tool=Probe profile=holdfast " + line + " duration_ms=");
    }

    @Test
    void aSuccessNamesItsTask() {
        call(() -> new Tool.Outcome(new TaskId(ID), "done", Map.of(), "done"));
        told("task=" + ID + " outcome=success");
    }

    @Test
    void aRefusalNamesTheTaskThatItIsAbout() {
        call(() -> {
            throw new Refusal(ErrorKind.TASK_NOT_RUNNING, "It ended.", "Start it.", Map.of("task_id", ID));
        });
        told("task=" + ID + " outcome=task_not_running");
    }

    @Test
    void whatNobodyForesawHasItsLineToo() {
        assertThatIllegalStateException()
                .isThrownBy(() -> call(() -> {
                    throw new IllegalStateException("hunter2");
                }));
        told("task=- outcome=internal");
    }
}
