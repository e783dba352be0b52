package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Section 7: what lies beyond a task's budget costs no disk, and is named. */
class OutputBudgetIT {
    private static final long LINES = 2_000_000;
    private static final long BYTES = LINES * 10;
    private static final int BUDGET = 2 << 20;

    @RegisterExtension
    static final PackagedServer SERVER =
            new PackagedServer().with("HOLDFAST_OUTPUT_MAX_BYTES", Integer.toString(BUDGET));

    private final Calls http = SERVER.calls();

    @TestFactory
    Stream<DynamicTest> alsoOfWhatIsPrintedWhileNoServerRuns() throws Throwable {
        return Story.over(
                SERVER, SERVER::kill, new Remains(SERVER).ofDisk(BUDGET).toArray(Story[]::new));
    }

    @Test
    void theMiddleIsDroppedAndOffsetsStayTrue() throws Exception {
        String id = http.start("seq -f '%09.0f' 1 " + LINES + "; sleep 600");
        http.awaitTask(
                id,
                task -> task.at("/output/stdout_bytes").asLong() == BYTES
                        && task.at("/output/omitted_bytes").asLong() >= BYTES - BUDGET);

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
    void aSearchSaysThatItDidNotSeeThatPart() {
        String id = http.start("seq -f '%09.0f' 1 " + LINES);
        http.awaitEnd(id);
        ToolCalls tools = new ToolCalls(http, "holdfast");

        assertThat(tools.text("TaskOutput", "task_id", id, "pattern", "001000000"))
                .containsPattern("Output:\n\\(no line matches\\)\n… 1[0-9]{7} bytes left out, not searched …$");
        assertThat(tools.text("TaskOutput", "task_id", id, "pattern", "001999999"))
                .containsPattern("001999999\n002000000\n… 1[0-9]{7} bytes left out, not searched …$");
        String first = tools.text("TaskOutput", "task_id", id, "pattern", "00000001");
        assertThat(first).contains("Output:\n1:000000001\n").endsWith("not searched …");
        assertThat(tools.text("TaskOutput", "task_id", id, "pattern", "0"))
                .endsWith("more from the next cursor on")
                .doesNotContain("left out");
    }

    @Test
    void behindAGapNobodyKnowsTheLine() {
        String id = http.start("echo first needle; seq -f '%09.0f' 1 " + LINES + "; echo last needle");
        http.awaitEnd(id);
        http.awaitTask(id, task -> task.at("/output/omitted_bytes").asLong() > 0);

        Answer answer = http.get("/v1/tasks/" + id + "/output/search?pattern=needle%7C%5Cx00&context=0")
                .hasStatus(200);

        JsonNode matches = answer.at("/matches");
        assertThat(matches)
                .extracting(match -> match.path("text").asText())
                .containsExactly("first needle", "last needle");
        assertThat(matches.get(0).path("line").asInt()).isEqualTo(1);
        assertThat(matches.get(1).path("line").isNull()).isTrue();
        assertThat(matches.get(1).path("offset").asLong()).isEqualTo(13 + BYTES);
        JsonNode output = http.task(id).path("output");
        assertThat(answer.at("/searched_bytes").asLong())
                .isEqualTo(output.path("stdout_bytes").asLong()
                        - output.path("omitted_bytes").asLong());
    }

    @Test
    void codexIsToldWhatItsCountsLackNoMore() throws Exception {
        ToolCalls codex = new ToolCalls(http, "codex");
        String all = "seq -f '%09.0f' 1 " + LINES;
        assertThat(codex.text("exec_command", "cmd", all, "login", false, "yield_time_ms", 30_000))
                .containsPattern("Process exited with code 0\nOriginal token count: 50000\\d\\d\nOutput:\nWarning")
                .containsPattern("\nWarning: truncated output \\(original token count: 50000\\d\\d\\)\n\n000000001\n")
                .containsPattern("…49[89]\\d{4} tokens truncated…");

        String on = "until [ -e codex-goes-on ]; do sleep 0.1; done; ";
        String cmd = "seq -f '%09.0f' 1 100000; " + on + "seq -f '%09.0f' 100001 " + LINES;
        long session = codex.call("exec_command", "cmd", cmd, "login", false, "yield_time_ms", 250)
                .at("/result/session_id")
                .asLong();
        String id = http.get("/v1/tasks?q=codex-goes-on").at("/tasks/0/task_id").asText();
        http.awaitTask(id, task -> task.at("/output/stdout_bytes").asLong() == 1_000_000);
        codex.success("write_stdin", "session_id", session);
        Files.createFile(SERVER.workspace().resolve("codex-goes-on"));
        http.awaitEnd(id);

        String rest = codex.text("write_stdin", "session_id", session, "max_output_tokens", 64_000);
        assertThat(rest)
                .containsPattern("Process exited with code 0\nOriginal token count: 47500\\d\\d\nOutput:\nWarning")
                .containsPattern("\\(original token count: 47500\\d\\d\\)\n\n… 1[0-9]{7} bytes left out …\n[0-9]")
                .containsPattern("…3\\d{5} tokens truncated…")
                .endsWith("\n002000000\n");
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
        assertThat(to - from).isGreaterThanOrEqualTo(BYTES - BUDGET);
        assertThat(Arrays.copyOfRange(file, 0, (int) from)).doesNotContain((byte) 0);
        assertThat(Arrays.copyOfRange(file, (int) to, file.length)).doesNotContain((byte) 0);
        assertThat(file).hasSize((int) BYTES);
    }
}
