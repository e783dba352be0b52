package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MigrationTest {
    @TempDir
    Path dataDir;

    private DatabaseFile database;

    @BeforeEach
    void name() {
        database = new DatabaseFile(dataDir);
    }

    /** Of V1's statements, so many were run when the server was killed; with and without the history's table. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void goesOnAfterAKillInTheFirstMigration(int statements) throws Exception {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            for (String one : statementsOfVersionOne().subList(0, statements)) {
                statement.execute(one);
            }
        }

        assertThat(migrate()).isEqualTo(1);
        assertThat(migrate()).isZero();
        assertThat(query("select count(*) from tasks left join task_labels on id = task_id"))
                .containsExactly("0");
    }

    /** A file that was written when there was only V1; later versions must go on reading it. */
    @Test
    void readsAFileOfVersionOne() throws Exception {
        try (InputStream file = MigrationTest.class.getResourceAsStream("/store/version-1.mv.db")) {
            Files.copy(Objects.requireNonNull(file), database.path());
        }

        migrate();

        assertThat(query("select id || ' ' || status || ' ' || command_text from tasks order by id"))
                .containsExactly(
                        "task_01JABCDEFGHJKMNPQRSTVWXYZ0 RUNNING npm run dev",
                        "task_01JABCDEFGHJKMNPQRSTVWXYZ1 FAILED make all");
        assertThat(query("select task_id || ' ' || name || '=' || content from task_labels"))
                .containsExactly("task_01JABCDEFGHJKMNPQRSTVWXYZ1 team=a");
        assertThat(query("select argv from tasks where ended_by = 'EXIT' and exit_status = 2"))
                .containsExactly("[\"make\",\"all\"]");
    }

    private int migrate() {
        return Flyway.configure()
                .dataSource(database.url(), DatabaseFile.USER, "")
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .load()
                .migrate()
                .migrationsExecuted;
    }

    private static List<String> statementsOfVersionOne() throws IOException {
        try (InputStream script = MigrationTest.class.getResourceAsStream("/db/migration/V1__tasks.sql")) {
            String text = new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
            return List.of(text.replaceAll("(?m)^\\s*--.*\\n", "").strip().split(";\\s*"));
        }
    }

    private List<String> query(String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            while (found.next()) {
                rows.add(found.getString(1));
            }
        }
        return rows;
    }
}
