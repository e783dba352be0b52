package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What lives of a task, in its own words. */
class LiveProcessesIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @Test
    void aTaskListsItsLiveProcesses() {
        String id = http.start(
                "sleep 61 & setsid sleep 62 & exec python3 -c 'x = bytearray(64 << 20); i = 0\nwhile i < 3000000: i += 1\nimport"
                        + " time; time.sleep(60)' --password=hunter2",
                "accepts_input",
                true);
        JsonNode task = http.awaitTask(
                id,
                seen -> seen.path("waiting").asText().equals("idle")
                        && seen.path("processes").size() == 3
                        // Each is a shell or a setsid before.
                        && seen.path("processes")
                                .findValuesAsText("command")
                                .containsAll(List.of("sleep 61", "sleep 62"))
                        // A python3 that a version manager provides is a few shells first.
                        && main(seen).path("memory_bytes").asLong() > 64 << 20);

        long main = task.at("/process/pid").asLong();
        Map<String, JsonNode> byCommand = new HashMap<>();
        task.path("processes")
                .forEach(process -> byCommand.put(
                        process.path("command")
                                .asText()
                                .replaceFirst(" -c.*", "")
                                .replaceFirst("^/\\S*/", ""),
                        process));
        assertThat(byCommand.keySet()).containsExactlyInAnyOrder("sleep 61", "sleep 62", "python3");
        JsonNode python = byCommand.get("python3");
        assertThat(python.path("pid").asLong()).isEqualTo(main);
        assertThat(python.path("memory_bytes").asLong()).isGreaterThan(64 << 20);
        assertThat(python.path("cpu_ms").asLong()).isPositive();
        assertThat(python.path("command").asText()).contains("--password").doesNotContain("hunter2");
        assertThat(byCommand.get("sleep 61").path("parent_pid").asLong()).isEqualTo(main);
        assertThat(http.get("/v1/tasks").at("/tasks/0/processes").isMissingNode())
                .isTrue();

        http.stop(id, "force", true);
        assertThat(http.task(id).path("processes").toString()).isEqualTo("[]");
    }

    private static JsonNode main(JsonNode task) {
        for (JsonNode process : task.path("processes")) {
            if (process.path("pid").asLong() == task.at("/process/pid").asLong()) {
                return process;
            }
        }
        return MissingNode.getInstance();
    }
}
