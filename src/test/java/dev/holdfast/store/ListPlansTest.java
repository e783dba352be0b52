package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.runtime.port.TaskStore.Query;
import dev.holdfast.runtime.port.TaskStore.StatusFilter;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many entries the database goes through for a page, with many ended tasks and few others: it counts them itself. */
class ListPlansTest {
    private static final int TASKS = 3000;
    private static final int PAGE = 20;
    /** Some entries for each task of a page: its row, its labels. */
    private static final int FEW = 8 * PAGE;

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final Pattern SCANNED = Pattern.compile("scanCount: (\\d+)");

    @TempDir
    static Path dataDir;

    private static Connection connection;

    /** Task 1 began a second ago, task 2 two; the first eight run. */
    @BeforeAll
    static void fill() throws SQLException {
        DatabaseFile database = new DatabaseFile(dataDir);
        Flyway.configure()
                .dataSource(database.url(), DatabaseFile.USER, "")
                .load()
                .migrate();
        connection = database.connect();
        run(
                "insert into tasks (id, version, status, created_at, updated_at, ended_at, command_text, shell, login, workdir,"
                        + " accepts_input, env_keys, on_exit, owner) select 'task_' || lpad(10000 - x, 26, '0'), 1,"
                        + " case when x > 8 then 'COMPLETED' else 'RUNNING' end, dateadd(second, -x, ts), ts,"
                        + " case when x > 8 then dateadd(second, -x, ts) end, 'npm run build ' || x, '/bin/sh', false, '/tmp', false,"
                        + " '[]', 'LEAVE', 'owner ' || mod(x, 2) from (select x, timestamp with time zone '2026-03-01 12:00:00Z' ts"
                        + " from system_range(1, " + TASKS + "))");
        run("insert into task_texts select id, command_text from tasks");
        run("insert into task_labels select id, 'team', 't' || mod(cast(right(id, 4) as integer), 10) from tasks");
        run("insert into task_labels select id, 'run', right(id, 4) from tasks");
    }

    private static void run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @AfterAll
    static void close() throws SQLException {
        connection.close();
    }

    @Test
    void aPageIsReadAndNotWhatHasEnded() throws SQLException {
        for (StatusFilter filter : StatusFilter.values()) {
            assertFew(query(filter, Map.of(), null), false);
            assertFew(query(filter, Map.of("team", "t3"), null), false);
            assertFew(query(filter, Map.of("run", "7123"), null), false);
            assertFew(query(filter, Map.of(), null).of("owner 1"), false);
        }
    }

    @Test
    void soIsWhatEndedSince() throws SQLException {
        assertFew(endedAfter(NOW.minusSeconds(60)), true);
        assertFew(endedAfter(NOW.minusSeconds(TASKS)), false);
    }

    /** Of all texts, in the one index that holds them, and of no row but those that are found. */
    @Test
    void aSearchReadsTextsAlone() throws SQLException {
        String plan = plan(query(StatusFilter.ALL, Map.of(), "no command has it"), false);

        assertThat(plan).contains("TASK_TEXTS_BY_TASK").doesNotContain("TASKS LEAD");
        assertThat(SCANNED.matcher(plan).results().count()).as(plan).isEqualTo(1);
    }

    private static Query query(StatusFilter filter, Map<String, String> labels, @Nullable String text) {
        return new Query(filter, null, labels, text, PAGE, null, null, null);
    }

    private static Query endedAfter(Instant moment) {
        return new Query(StatusFilter.ENDED, null, Map.of(), null, PAGE, null, moment, null);
    }

    private static void assertFew(Query query, boolean fewEnds) throws SQLException {
        String plan = plan(query, fewEnds);
        List<Integer> scanned = SCANNED.matcher(plan)
                .results()
                .map(count -> Integer.parseInt(count.group(1)))
                .toList();
        assertThat(scanned).as(plan).isNotEmpty().allMatch(count -> count <= FEW);
    }

    /** What the database says it did for it. */
    private static String plan(Query query, boolean fewEnds) throws SQLException {
        Connection explaining = (Connection) Proxy.newProxyInstance(
                ListPlansTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> connection.prepareStatement("explain analyze " + arguments[0]));
        return String.join("\n", new IdQuery(query, fewEnds).read(explaining, PAGE + 1));
    }
}
