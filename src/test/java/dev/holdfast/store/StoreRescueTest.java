package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.h2.api.ErrorCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StoreRescueTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-03-01T12:00:00.123Z"));
    private static final int ROWS = 400;

    @TempDir
    Path dataDir;

    private DatabaseFile database;

    @BeforeEach
    void name() {
        database = new DatabaseFile(dataDir);
    }

    @Test
    void makesADatabaseWhereThereIsNone() throws Exception {
        rescue().open().close();

        assertThat(names()).containsExactly("holdfast.mv.db");
    }

    @Test
    void leavesAGoodDatabaseAlone() throws Exception {
        fill();

        try (Connection connection = rescue().open()) {
            assertThat(rows(connection)).isEqualTo(ROWS);
        }
        assertThat(names()).containsExactly("holdfast.mv.db");
    }

    private record Damage(String name, DamageDone done) {
        @Override
        public String toString() {
            return name;
        }
    }

    private interface DamageDone {
        void to(RandomAccessFile file) throws IOException;
    }

    static Stream<Damage> beyondRepair() {
        return Stream.of(
                new Damage("text", file -> {
                    file.setLength(0);
                    file.writeBytes("this was a database\n".repeat(1000));
                }),
                new Damage("a few bytes", file -> {
                    file.setLength(0);
                    file.writeBytes("H:2");
                }),
                new Damage("zeros", file -> {
                    int length = (int) file.length();
                    file.write(new byte[length]);
                }));
    }

    @ParameterizedTest
    @MethodSource("beyondRepair")
    void movesADamagedFileAsideAndMakesANewOne(Damage damage) throws Exception {
        fill();
        inflict(damage);
        byte[] before = Files.readAllBytes(database.path());

        try (Connection connection = rescue().open()) {
            makeTables(connection);
            assertThat(rows(connection)).isZero();
        }

        assertThat(names()).containsExactly("holdfast.mv.db", "holdfast.mv.db.damaged-20260301T120000.123Z");
        assertThat(dataDir.resolve("holdfast.mv.db.damaged-20260301T120000.123Z"))
                .hasBinaryContent(before);
    }

    static Stream<Damage> anywhere() {
        return IntStream.range(0, 12)
                .boxed()
                .flatMap(twelfth -> Stream.of(
                        new Damage("cut at " + twelfth + "/12", file -> file.setLength(file.length() * twelfth / 12)),
                        new Damage("noise from " + twelfth + "/12 on", file -> {
                            byte[] noise = new byte[(int) (file.length() * (12 - twelfth) / 12)];
                            new Random(twelfth).nextBytes(noise);
                            file.seek(file.length() - noise.length);
                            file.write(noise);
                        }),
                        new Damage("zeros at " + twelfth + "/12", file -> {
                            file.seek(file.length() * twelfth / 12);
                            file.write(new byte[10_000]);
                        })));
    }

    /**
     * H2 goes back to an older state by itself where it finds one; what counts is that the server starts and can work.
     */
    @ParameterizedTest
    @MethodSource("anywhere")
    void givesADatabaseThatWorksWhateverTheDamage(Damage damage) throws Exception {
        fill();
        inflict(damage);

        try (Connection connection = rescue().open()) {
            makeTables(connection);
            insert(connection, 1000, 1100);
            assertThat(rows(connection)).isBetween(100L, 100L + ROWS);
        }
        try (Connection connection = database.connect()) {
            assertThat(rows(connection)).isBetween(100L, 100L + ROWS);
        }
    }

    @Test
    void leavesADatabaseAloneThatSomebodyElseHasOpen() throws Exception {
        Process holder = holdingProcess();
        try {
            assertThat(holder.inputReader().readLine()).isEqualTo("1");
            assertThatThrownBy(() -> rescue().open())
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(ErrorCode.DATABASE_ALREADY_OPEN_1));
        } finally {
            holder.destroyForcibly().waitFor();
        }
        assertThat(names()).containsExactly("holdfast.mv.db");
    }

    private Process holdingProcess() throws Exception {
        database.makeTables();
        return new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        KilledWriter.class.getName(),
                        dataDir.toString())
                .start();
    }

    private StoreRescue rescue() {
        return new StoreRescue(database.url(), DatabaseFile.USER, database.path(), CLOCK);
    }

    private void fill() throws SQLException {
        database.makeTables();
        try (Connection connection = database.connect()) {
            insert(connection, 0, ROWS);
        }
    }

    private static void insert(Connection connection, int from, int to) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (int i = from; i < to; i++) {
                statement.executeUpdate(KilledWriter.insert(i));
            }
        }
    }

    private void inflict(Damage damage) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(database.path().toFile(), "rw")) {
            damage.done().to(file);
        }
    }

    private static void makeTables(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            boolean there;
            try (ResultSet tables =
                    statement.executeQuery("select 1 from information_schema.tables where table_name = 'TASKS'")) {
                there = tables.next();
            }
            if (!there) {
                statement.execute("runscript from 'classpath:db/migration/V1__tasks.sql'");
            }
        }
    }

    private static long rows(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet count = statement.executeQuery("select count(command_text) from tasks")) {
            count.next();
            return count.getLong(1);
        }
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(dataDir)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
