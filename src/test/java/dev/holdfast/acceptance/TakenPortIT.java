package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A second server on the port of another one. */
class TakenPortIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    @TempDir
    Path elsewhere;

    @Test
    void isRefusedWithOneLineThatNamesTheRemedy() throws Exception {
        ProcessBuilder command = SERVER.command(List.of()).redirectErrorStream(true);
        command.environment().put("HOLDFAST_DATA_DIR", elsewhere.resolve("data").toString());
        Process second = command.start();

        String said = new String(second.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(said)
                .isEqualTo(
                        "Nobody can listen at 127.0.0.1:" + SERVER.port() + " (Address already in use). Stop what does"
                                + " (`ss -ltnp` tells its pid), or set QUARKUS_HTTP_PORT to another port.\n");
        assertThat(second.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(second.exitValue()).isEqualTo(1);
    }
}
