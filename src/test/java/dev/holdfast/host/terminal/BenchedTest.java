package dev.holdfast.host.terminal;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Each test has a data folder and a keeper of its own, which it may replace or kill. */
@Timeout(180)
abstract class BenchedTest {
    @TempDir
    Path dataDir;

    TerminalBench bench;

    @BeforeEach
    final void open() {
        bench = new TerminalBench(dataDir, Duration.ofMinutes(1));
    }

    @AfterEach
    final void close() {
        bench.close();
    }
}
