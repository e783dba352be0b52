package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.acceptance.Calls;
import dev.holdfast.acceptance.PackagedServer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A search of a log of 1 GB against {@code grep -n -E} on the same file; medians of five, printed, nothing asserted.
 */
class SearchBench {
    private static final int ROUNDS = 5;
    private static final int LINES = 10_000_000;

    /** About 100 bytes a line; the errors at the very end. */
    private static final String LOG =
            "seq -f 'INFO  [main] step %09.0f: compiled src/main/java/dev/app/Service.java in 35 ms,"
                    + " all is well, going on' 1 " + LINES
                    + "; echo 'ERROR the build failed'; printf '\\tat dev.app.Main.run(BuildException.java:7)\\n'";

    private static final String[] PATTERNS = {"ERROR", "error|failed|FAIL", "^\\s*at .*Exception", "[0-9]{4}[a-z]"};

    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer().with("HOLDFAST_OUTPUT_MAX_BYTES", "2000000000");

    private final Calls http = SERVER.calls();
    private final Figures figures = new Figures();

    @Test
    void measure() throws Exception {
        String id = http.start(LOG);
        Awaitility.await()
                .atMost(Duration.ofMinutes(5))
                .until(() -> Calls.ended(http.task(id).path("status").asText()));
        Path file = SERVER.data().resolve("tasks").resolve(id).resolve("out");
        for (int round = 0; round < ROUNDS; round++) {
            for (String pattern : PATTERNS) {
                String figure = "1 GB searched for `" + pattern + "`, s";
                figures.shell(figure, grep(pattern, file));
                figures.server(figure, search(id, pattern, ""));
            }
            figures.server("the last `INFO` of it, s", search(id, "INFO", "&max=1&from_end=true"));
        }
        System.out.println(System.lineSeparator() + figures.table());
    }

    private static double grep(String pattern, Path file) throws Exception {
        long from = System.nanoTime();
        Process grep = new ProcessBuilder("grep", "-n", "-E", pattern, file.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(grep.waitFor()).isLessThan(2);
        return (System.nanoTime() - from) / 1e9;
    }

    private double search(String id, String pattern, String more) {
        String query = "?pattern=" + URLEncoder.encode(pattern, StandardCharsets.UTF_8) + more;
        long from = System.nanoTime();
        http.get("/v1/tasks/" + id + "/output/search" + query).hasStatus(200);
        return (System.nanoTime() - from) / 1e9;
    }
}
