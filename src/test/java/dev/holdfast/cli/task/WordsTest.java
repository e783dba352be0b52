package dev.holdfast.cli.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WordsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static JsonNode text(String text) {
        return JSON.getNodeFactory().textNode(text);
    }

    /** As {@code kill -l} of bash numbers them on Linux. */
    @ParameterizedTest
    @CsvSource({
        "SIGHUP, 129",
        "SIGTRAP, 133",
        "SIGKILL, 137",
        "SIGSTKFLT, 144",
        "SIGXCPU, 152",
        "SIGVTALRM, 154",
        "SIGSYS, 159",
        "SIG32, 160",
        "SIGRTMIN+0, 162",
        "SIGRTMIN+30, 192",
        "RTMIN, 162",
        "SIGNONE, 128"
    })
    void everySignalHasItsExitCode(String name, int code) throws Exception {
        JsonNode task = JSON.readTree("{\"exit_signal\": \"" + name + "\", \"ended_by\": \"signal\"}");
        assertThat(Words.exit(task)).isEqualTo(code);
    }

    @Test
    void timesAreToldAsPeopleDoAndWhatIsNoneAsItIs() {
        assertThat(Words.ago(text(Instant.now().minusSeconds(200).toString()))).isEqualTo("3 min ago");
        assertThat(Words.ago(text("yesterday"))).isEqualTo("yesterday");
        assertThat(Words.ago(JSON.nullNode())).isEmpty();
    }

    @Test
    void spansAddUp() {
        assertThat(Words.span("1h30m")).isEqualTo(Duration.ofMinutes(90));
        assertThat(Words.span("5")).isEqualTo(Duration.ofSeconds(5));
        assertThatThrownBy(() -> Words.span("5x")).hasMessageContaining("is no duration");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'out_of_memory': true, 'killed_pid': 7, 'killed_name': 'cc1'} | out of memory: the kernel killed its process 7 (cc1)",
                "{'port_owner': {'port': 80, 'task_id': 'task_A', 'pid': 7, 'command': 'a\\nb'}} | port 80 is held by task_A (a ⏎ b)",
                "{'port_owner': {'port': 80, 'pid': 7}} | port 80 is held by process 7, no task's",
                "{'port_owner': {'port': 80}} | port 80 is held by another user's process",
                "{} |"
            })
    void whyItFailedIsToldWhereItIsKnown(String details, String cause) throws Exception {
        String task = "{\"details\": " + details.replace('\'', '"') + "}";

        assertThat(Words.cause(JSON.readTree(task)).orElse(null)).isEqualTo(cause);
    }

    @Test
    void aWordThatWouldBeSeveralIsInQuotes() throws Exception {
        JsonNode words = JSON.readTree("[\"git push\", \"--force\", \"\", \"it's\", \"*.c\", \"$X\", \"***\"]");
        assertThat(Words.quoted(words)).isEqualTo("'git push' --force '' 'it'\\''s' *.c $X ***");
    }

    @Test
    void theLinesOfACommandAreSeenToBeLines() {
        assertThat(Words.oneLine("  ls # all\r\n  rm x\n\n")).isEqualTo("ls # all ⏎ rm x");
    }
}
