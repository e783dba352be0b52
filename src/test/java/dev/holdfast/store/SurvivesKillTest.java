package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was acknowledged outlives kill -9 of the process that was told. */
class SurvivesKillTest {
    private static final int ROWS = 1000;

    @TempDir
    Path dataDir;

    @Test
    void hasEveryAcknowledgedRowAfterAKill() throws Exception {
        DatabaseFile database = new DatabaseFile(dataDir);
        database.makeTables();
        for (int round = 0; round < 3; round++) {
            long acknowledged = writeUntilKilled(200 + 300 * round);

            assertThat(newestOf(database)).isBetween(acknowledged, acknowledged + 1);
        }
    }

    /** The file is then written anew beside itself: killed before, at several moments of it, and after. */
    @Test
    void hasEveryRowAfterAKillWhileTheDatabaseIsClosed() throws Exception {
        DatabaseFile database = new DatabaseFile(dataDir);
        database.makeTables();
        Path draft = dataDir.resolve("holdfast.mv.db.tempFile");
        int killedInTheMidst = 0;
        for (int round = 0; round < 8; round++) {
            long enough = round == 0 ? -1 : Files.size(database.path()) * (round - 1) / 8;
            Process writer = writer(Integer.toString(ROWS));
            assertThat(writer.inputReader().readLine()).isEqualTo(KilledWriter.CLOSING);
            while (writer.isAlive() && draft.toFile().length() <= enough) {
                Thread.onSpinWait();
            }
            writer.toHandle().destroyForcibly();
            writer.waitFor();
            killedInTheMidst += Files.exists(draft) ? 1 : 0;

            StoreRescue rescue =
                    new StoreRescue(database.url(), DatabaseFile.USER, database.path(), InstantSource.system());
            try (Connection connection = rescue.open();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("select count(command_text), max(id) from tasks")) {
                rows.next();
                assertThat(rows.getLong(1)).isEqualTo((round + 1L) * ROWS);
                assertThat(rows.getString(2)).isEqualTo(KilledWriter.id((round + 1L) * ROWS));
            }
            assertThat(dataDir).isDirectoryNotContaining("glob:**damaged*");
        }
        assertThat(killedInTheMidst).as("of 8").isPositive();
    }

    private Process writer(String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-Xmx96m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                KilledWriter.class.getName(),
                dataDir.toString()));
        command.addAll(List.of(more));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** @return the last number that was printed before the kill took effect */
    private long writeUntilKilled(int rows) throws IOException, InterruptedException {
        Process writer = writer();
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
