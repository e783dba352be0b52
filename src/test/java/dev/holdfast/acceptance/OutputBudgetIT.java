package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Section 7: what lies beyond a task's budget costs no disk, and is named. */
class OutputBudgetIT {
    private static final long LINES = 2_000_000;
    private static final long BYTES = LINES * 10;

    @RegisterExtension
    static final PackagedServer SERVER =
            new PackagedServer().with("HOLDFAST_OUTPUT_MAX_BYTES", Integer.toString(2 << 20));

    private final Calls http = SERVER.calls();

    @Test
    void theMiddleIsDroppedAndOffsetsStayTrue() throws Exception {
        String id = http.start("seq -f '%09.0f' 1 " + LINES + "; sleep 600");
        http.awaitTask(
                id,
                task -> task.at("/output/stdout_bytes").asLong() == BYTES
                        && task.at("/output/omitted_bytes").asLong() >= BYTES - (2 << 20));

        var kept = new ByteArrayOutputStream();
        long omitted = 0;
        long at = 0;
        while (at < BYTES) {
            Answer page = http.get("/v1/tasks/" + id + "/output?stream=stdout&view=raw&max_bytes=1000000&cursor=" + at);
            String text = page.hasStatus(200).text("/text");
            for (var gap : page.at("/omitted")) {
                omitted += gap.path("to").asLong() - gap.path("from").asLong();
            }
            long next = Long.parseLong(page.text("/next_cursor"));
            assertLinesStandWhereTheyWereWritten(text, next);
            kept.write(text.getBytes(StandardCharsets.US_ASCII));
            assertThat(next).isGreaterThan(at);
            at = next;
        }

        assertThat(kept.size() + omitted).isEqualTo(BYTES);
        assertThat(kept.toString(StandardCharsets.US_ASCII))
                .startsWith("000000001\n")
                .endsWith("002000000\n");
        assertThat(kept.toByteArray()).doesNotContain((byte) 0);
        assertThat(omitted).isEqualTo(http.task(id).at("/output/omitted_bytes").asLong());
        assertThat(new ToolCalls(http, "holdfast")
                        .text("TaskOutput", "task_id", id, "block", false, "cursor", "5000000.0"))
                .containsPattern("Output:\n… 1[0-9]{7} bytes left out …\n[0-9]");
        http.stop(id, "force", true);
    }

    /** Line n ends at byte 10 n: the last line of a page tells where it stands. */
    private static void assertLinesStandWhereTheyWereWritten(String text, long next) {
        int end = text.lastIndexOf('\n');
        if (end >= 9) {
            long line = Long.parseLong(text.substring(end - 9, end));
            assertThat(line * 10).isEqualTo(next - (text.length() - end - 1));
        }
    }

    @Test
    void aPreviewOfADroppedMiddleCountsItToo() throws Exception {
        Answer answer = http.run("seq -f '%09.0f' 1 " + LINES, "max_output_tokens", 100, "yield_time_ms", 60_000);

        String preview = answer.completed().text("/stdout_preview");
        assertThat(preview).startsWith("000000001\n");
        assertThat(preview.stripTrailing()).endsWith("002000000");
        assertThat(preview).containsPattern("19[ ,_]?9[0-9]{2}[ ,_]?[0-9]{3}");
        // Who reads the file itself finds zeros where nothing is kept: the answer says where.
        JsonNode artifact = answer.at("/artifacts/0");
        byte[] file = Files.readAllBytes(Path.of(artifact.path("path").asText()));
        long from = artifact.at("/omitted/0/from").asLong();
        long to = artifact.at("/omitted/0/to").asLong();
        assertThat(to - from).isGreaterThanOrEqualTo(BYTES - (2 << 20));
        assertThat(Arrays.copyOfRange(file, 0, (int) from)).doesNotContain((byte) 0);
        assertThat(Arrays.copyOfRange(file, (int) to, file.length)).doesNotContain((byte) 0);
        assertThat(file).hasSize((int) BYTES);
    }
}
