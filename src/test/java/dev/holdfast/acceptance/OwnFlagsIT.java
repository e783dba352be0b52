package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** With which flags the JVM runs; a server that is started in any other way is the business of who starts it. */
@Timeout(120)
class OwnFlagsIT {
    @RegisterExtension
    static final PackagedServer PLAIN = new PackagedServer();

    @RegisterExtension
    static final PackagedServer CHOSEN = new PackagedServer().with("JAVA_TOOL_OPTIONS", "-Xmx400m");

    /** The process that was started is the one that serves: who started it waits for it, and signals it. */
    @Test
    void theServerBeginsAgainWithItsOwnInTheSameProcess() throws Exception {
        assertThat(commandLine(PLAIN)).contains("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar");
        assertThat(PLAIN.terminate()).isEqualTo(143);
        assertThat(PLAIN.log()).contains("holdfast stopped");
        PLAIN.start();
    }

    /** It would stand still for a tenth of a second, and so would every answer. */
    @Test
    void theServerNeedsNoFullCollectionOfItsHeap() throws Exception {
        for (int i = 0; i < 100; i++) {
            PLAIN.calls().run("true").hasStatus(200);
        }
        assertThat(fullCollections(PLAIN)).isZero();
    }

    @Test
    void whoGivesTheJvmOptionsGetsThoseAlone() throws Exception {
        assertThat(commandLine(CHOSEN)).doesNotContain("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
    }

    private static int fullCollections(PackagedServer server) throws IOException {
        String jstat = Path.of(System.getProperty("java.home"), "bin", "jstat").toString();
        Process process = new ProcessBuilder(jstat, "-gcutil", Long.toString(server.pid())).start();
        List<String> lines = process.inputReader().readAllLines();
        assertThat(lines).hasSize(2);
        int column = List.of(lines.getFirst().strip().split("\\s+", -1)).indexOf("FGC");
        return Integer.parseInt(lines.getLast().strip().split("\\s+", -1)[column]);
    }

    private static List<String> commandLine(PackagedServer server) throws IOException {
        return List.of(
                Files.readString(Path.of("/proc/" + server.pid() + "/cmdline")).split("\0"));
    }
}
