package dev.holdfast.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AutogroupTest {
    private static final Path OURS = Path.of("/proc/self/autogroup");

    @ParameterizedTest
    @ValueSource(strings = {"exec setsid sleep 60", "exec sleep 60"})
    void aSessionComesBeforeOthersIfItsLeaderIsMeant(String command) throws Exception {
        boolean leads = command.contains("setsid");
        Process process = new ProcessBuilder("sh", "-c", command).start();
        try {
            await().until(() -> process.info().command().orElse("").endsWith("/sleep"));
            String before = group(process.pid());

            Autogroup.prefer(process.pid());

            boolean allowed =
                    Files.exists(OURS) && System.getProperty("user.name").equals("root");
            assertThat(group(process.pid()))
                    .isEqualTo(leads && allowed ? before.replaceAll("nice .*", "nice -10") : before);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void whoIsGoneIsNoError() {
        Autogroup.prefer(Long.MAX_VALUE);
    }

    private static String group(long pid) throws IOException {
        Path file = Path.of("/proc", Long.toString(pid), "autogroup");
        return Files.exists(OURS) ? Files.readString(file).strip() : "";
    }
}
