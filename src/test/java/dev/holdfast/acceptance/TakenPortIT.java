package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that is to listen where it can't. */
class TakenPortIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    @TempDir
    Path elsewhere;

    @Test
    void isRefusedWithOneLineThatNamesTheRemedy() throws Exception {
        assertThat(refusal("QUARKUS_HTTP_PORT", Integer.toString(SERVER.port())))
                .isEqualTo(
                        "Nobody can listen at 127.0.0.1:" + SERVER.port() + " (Address already in use). Set"
                                + " QUARKUS_HTTP_PORT, or QUARKUS_HTTP_HOST, to what is free here; `ss -ltnp` tells who listens.\n");
    }

    /** Not by a stack of calls before anything is set up that could print it. */
    @ParameterizedTest
    @CsvSource({"QUARKUS_HTTP_PORT,seven", "QUARKUS_HTTP_PORT,''", "QUARKUS_HTTP_HOST,''"})
    void aSettingThatIsNoneIsSaidToBe(String name, String value) throws Exception {
        assertThat(refusal(name, value))
                .startsWith("Configuration validation failed:")
                .contains(name.toLowerCase(Locale.ROOT).replace('_', '.'))
                .doesNotContain("DEBUG");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "HOLDFAST_LIMITS_RUNNING | many | The setting holdfast.limits.running cannot be `many`: it is a whole number, 0 or more",
                "HOLDFAST_RETENTION_BYTES | -1 | The setting holdfast.retention.bytes cannot be `-1`: it is a whole number, 0 or more",
                "HOLDFAST_RETENTION_AGE | -7d | The setting holdfast.retention.age cannot be `-7d`: it is a time such as 90s, 24h or 7d, from 0 to 36500d",
                "HOLDFAST_KEEPER_IDLE | 9999999d | The setting holdfast.keeper.idle cannot be `9999999d`: it is a time such as 90s, 24h or 7d, from 0 to 36500d",
                "HOLDFAST_TOOLS_BASH_DIALECT | '' | The setting holdfast.tools.bash.dialect is empty: give it a value, or leave it out.",
                "HOLDFAST_RETENTION_AGE | soon | The setting holdfast.retention.age cannot be `soon`: "
            })
    void aSettingOfOursThatIsNoneIsToldInOneLine(String name, String value, String told) throws Exception {
        assertThat(refusal(name, value)).startsWith(told).hasLineCount(1);
        assertThat(elsewhere.resolve("data")).doesNotExist();
    }

    private String refusal(String name, String value) throws Exception {
        ProcessBuilder command = SERVER.command(List.of()).redirectErrorStream(true);
        command.environment().put("HOLDFAST_DATA_DIR", elsewhere.resolve("data").toString());
        command.environment().put(name, value);
        Process second = command.start();
        String said = new String(second.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(second.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(second.exitValue()).isEqualTo(1);
        return said;
    }
}
