package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Where the file system makes no holes, a command that prints more than may be kept is ended. */
class OutputLimitIT {
    private static final int BUDGET = 1 << 20;

    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer()
            .onDiskWithoutHoles()
            .with("HOLDFAST_DISK_FLOOR", "0")
            .with("HOLDFAST_OUTPUT_MAX_BYTES", Integer.toString(BUDGET));

    private final Calls http = SERVER.calls();

    @Test
    void isEndedAndNothingIsMissing() throws Exception {
        if (!SERVER.hasOwnDisk()) {
            return;
        }
        String id = http.start("seq -f '%07.0f' 1 200000; exec sleep 600");

        JsonNode ended = http.awaitEnd(id);

        assertThat(ended.path("status").asText()).isEqualTo("failed");
        assertThat(ended.path("ended_by").asText()).isEqualTo("output_limit");
        // All of it, or as far as it had come when it was ended.
        assertThat(ended.at("/output/stdout_bytes").asLong()).isBetween((long) BUDGET, 1_600_000L);
        assertThat(ended.at("/output/omitted_bytes").asLong()).isZero();
        Answer page = http.get("/v1/tasks/" + id + "/output?stream=stdout&view=raw&max_bytes=8&cursor=800000");
        assertThat(page.hasStatus(200).text("/text")).isEqualTo("0100001\n");
        assertThat(page.at("/omitted")).isEmpty();
        String quiet = http.start("seq 1 100; exit 3");
        assertThat(http.awaitEnd(quiet).path("ended_by").asText()).isEqualTo("exit");
    }
}
