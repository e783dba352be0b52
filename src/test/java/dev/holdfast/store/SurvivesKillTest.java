package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was acknowledged outlives kill -9 of the process that was told. */
class SurvivesKillTest {
    @TempDir
    Path dataDir;

    @Test
    void hasEveryAcknowledgedRowAfterAKill() throws Exception {
        DatabaseFile database = new DatabaseFile(dataDir);
        database.makeTables();
        for (int round = 0; round < 4; round++) {
            long acknowledged = writeUntilKilled(300 + 400 * round);

            assertThat(newestOf(database)).isBetween(acknowledged, acknowledged + 1);
        }
    }

    /** @return the last number that was printed before the kill took effect */
    private long writeUntilKilled(int rows) throws IOException, InterruptedException {
        Process writer = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-Xmx96m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        KilledWriter.class.getName(),
                        dataDir.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        long last = 0;
        try (BufferedReader lines = writer.inputReader()) {
            int read = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                last = Math.max(last, Long.parseLong(line));
                if (++read == rows) {
                    // Not the Process's own method, which would close the pipe with what is still to be read.
                    writer.toHandle().destroyForcibly();
                }
            }
            assertThat(read).as("rows written before the kill").isGreaterThanOrEqualTo(rows);
        }
        assertThat(writer.waitFor()).as("128 + SIGKILL").isEqualTo(137);
        return last;
    }

    /** Reads every row there is; the newest ones must be without a gap. */
    private static long newestOf(DatabaseFile database) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            long newest = KilledWriter.newest(statement);
            long kept = Math.min(newest, KilledWriter.KEPT);
            try (ResultSet rows = statement.executeQuery("select count(command_text), min(id) from tasks")) {
                rows.next();
                assertThat(rows.getLong(1)).isBetween(kept, kept + 1);
                assertThat(rows.getString(2)).isIn(KilledWriter.id(newest - kept + 1), KilledWriter.id(newest - kept));
            }
            return newest;
        }
    }
}
