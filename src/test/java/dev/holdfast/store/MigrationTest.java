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

    /** Of all statements, so many were run when the server was killed, before any was in the history. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17})
    void goesOnAfterAKillInAMigration(int statements) throws Exception {
        List<String> all = new ArrayList<>(statementsOf("V1__tasks"));
        all.addAll(statementsOf("V2__growth"));
        all.addAll(statementsOf("V3__ends"));
        all.addAll(statementsOf("V4__owners"));
        all.addAll(statementsOf("V5__owners_of_what_was_forgotten"));
        assertThat(all).hasSize(17);
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            for (String one : all.subList(0, statements)) {
                statement.execute(one);
            }
        }

        assertThat(migrate()).isEqualTo(5);
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
        assertThat(query("select task_id || ' ' || content from task_texts order by task_id"))
                .containsExactly(
                        "task_01JABCDEFGHJKMNPQRSTVWXYZ0 npm run dev", "task_01JABCDEFGHJKMNPQRSTVWXYZ1 make all");
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

    private static List<String> statementsOf(String version) throws IOException {
        try (InputStream script = MigrationTest.class.getResourceAsStream("/db/migration/" + version + ".sql")) {
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
