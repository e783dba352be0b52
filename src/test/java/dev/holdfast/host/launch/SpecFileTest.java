package dev.holdfast.host.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.PlainCommand;
import dev.holdfast.task.Sandbox;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The very bytes that earlier versions wrote, since folders outlive the server that made them. */
class SpecFileTest {
    private static final TaskId ID = new TaskId("task_01ARZ3NDEKTSV4RRFFQ69G5FAV");
    private static final String HEAD = "{\"format\":1,\"boot_id\":\"boot\",\"task_id\":\"" + ID.value() + "\",";

    private static final Launch TERMINAL = new Launch(
            ID,
            new CommandSpec(
                    new Invocation.ShellText("echo \"é\u0001\n\ud83d\ude00</\"", "/bin/bash", true),
                    Path.of("/tmp/a b"),
                    new TerminalSize(40, 120),
                    true,
                    List.of("A", "B"),
                    Duration.ofSeconds(90),
                    Duration.ofMillis(5),
                    OnExit.STOP,
                    Map.of("k", "v"),
                    new Sandbox(Sandbox.Files.READ_ONLY, false),
                    "ci"),
            Map.of(),
            Instant.parse("2026-01-02T03:04:05.678901234Z"),
            "dup",
            new Launch.Idempotency("key", "ab12"));
    private static final String OF_TERMINAL = HEAD
            + "\"created_at\":\"2026-01-02T03:04:05.678901234Z\",\"duplicate_key\":\"dup\",\"idempotency_key\":\"key\","
            + "\"idempotency_body\":\"ab12\",\"cmd\":\"echo \\\"é\\u0001\\n\\uD83D\\uDE00</\\\"\",\"shell\":\"/bin/bash\","
            + "\"login\":true,\"workdir\":\"/tmp/a b\",\"rows\":40,\"cols\":120,\"accepts_input\":true,"
            + "\"env_keys\":[\"A\",\"B\"],\"timeout_ms\":90000,\"idle_timeout_ms\":5,\"on_exit\":\"stop\","
            + "\"labels\":{\"k\":\"v\"},\"sandbox\":\"read_only\",\"owner\":\"ci\"}";

    private static final Launch PROGRAM = new Launch(
            ID,
            PlainCommand.of(new Invocation.Program(List.of("git", "", "x y")), Path.of("/")),
            Map.of(),
            Instant.parse("2026-01-02T03:04:05Z"),
            "dup",
            null);
    private static final String OF_PROGRAM = HEAD
            + "\"created_at\":\"2026-01-02T03:04:05Z\",\"duplicate_key\":\"dup\",\"argv\":[\"git\",\"\",\"x y\"],"
            + "\"workdir\":\"/\",\"accepts_input\":false,\"env_keys\":[],\"on_exit\":\"leave\",\"labels\":{}}";

    @TempDir
    Path folder;

    private SpecFile.Spec read(String text) throws IOException, SpecFile.DamagedException {
        Path file = folder.resolve("spec.json");
        Files.writeString(file, text);
        return SpecFile.read(file);
    }

    @Test
    void whatIsWrittenIsWhatEarlierVersionsWrote() {
        assertThat(new String(SpecFile.bytes(TERMINAL, "boot"), UTF_8)).isEqualTo(OF_TERMINAL);
        assertThat(new String(SpecFile.bytes(PROGRAM, "boot"), UTF_8)).isEqualTo(OF_PROGRAM);
    }

    @Test
    void whatWasWrittenIsReadBack() throws Exception {
        assertThat(read(OF_TERMINAL)).isEqualTo(new SpecFile.Spec(TERMINAL, "boot"));
        assertThat(read(OF_PROGRAM)).isEqualTo(new SpecFile.Spec(PROGRAM, "boot"));
        assertThat(read(OF_PROGRAM.replaceFirst("\\{", "{\"later\":[1],")))
                .isEqualTo(new SpecFile.Spec(PROGRAM, "boot"));
    }

    @Test
    void theWindowOfABatchsItemIsReadBack() throws Exception {
        Launch item = PROGRAM.within(Duration.ofSeconds(30));
        String written = new String(SpecFile.bytes(item, "boot"), UTF_8);
        assertThat(written).isEqualTo(OF_PROGRAM.replaceFirst("}$", "") + ",\"window_ms\":30000}");
        assertThat(read(written)).isEqualTo(new SpecFile.Spec(item, "boot"));
    }

    @ParameterizedTest
    @CsvSource({
        "'', spec.json is empty",
        "{}, 'spec.json has format 0, known is 1'",
        "'{\"format\":2}', 'spec.json has format 2, known is 1'",
        "'{\"format\":1}', spec.json has no task_id",
        "'{\"format\":1,', spec.json is torn"
    })
    void whatIsDamagedIsNotGuessedAround(String text, String problem) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOfSatisfying(
                        SpecFile.DamagedException.class,
                        damaged -> assertThat(damaged.problem()).startsWith(problem));
    }
}
