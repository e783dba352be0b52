package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.runtime.FakeStore;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.runtime.port.TaskStore.Query;
import dev.holdfast.runtime.port.TaskStore.StatusFilter;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskEvent;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskLifecycle;
import dev.holdfast.task.TaskStatus;
import io.agroal.api.AgroalDataSource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract on the real adapter, and what only a real file can show. */
@QuarkusTest
@TestProfile(OwnDatabase.class)
class JdbcTaskStoreAppTest extends TaskListsContract {
    @Inject
    TaskStore store;

    @Inject
    HoldfastConfig config;

    @Inject
    AgroalDataSource pool;

    @TempDir
    Path elsewhere;

    @Override
    TaskStore store() {
        return store;
    }

    @BeforeEach
    void empty() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("delete from tasks");
        }
    }

    /** Each way to ask with each other, by status, label, text and cursor: whatever index is gone through. */
    @Test
    void listsAsIfEachTaskWereLookedAt() {
        TaskStore plain = new FakeStore();
        List<TaskId> ids = new ArrayList<>();
        for (int i = 0; i < 84; i++) {
            Task task = SampleTasks.of(
                    "Number " + i % 4 + " " + i,
                    Map.of("two", "" + i % 2, "three", "" + i % 3),
                    List.of(TaskStatus.values()).get(i % 7),
                    i % 5 == 0 ? null : "owner " + i % 5);
            ids.add(task.id());
            assertThat(store.insert(task)).isEqualTo(plain.insert(task));
        }

        for (var labels : List.of(Map.<String, String>of(), Map.of("two", "1"), Map.of("two", "0", "three", "2"))) {
            for (String text : Arrays.asList(null, "NUMBER 1", "number 3 ", "nothing like it")) {
                for (TaskStatus status : Arrays.asList(null, TaskStatus.RUNNING, TaskStatus.COMPLETED)) {
                    for (TaskId before : Arrays.asList(null, ids.get(42))) {
                        for (StatusFilter filter : StatusFilter.values()) {
                            for (String owner : Arrays.asList(null, "owner 1")) {
                                Query asked = new Query(filter, status, labels, text, 3, before, null, owner);
                                assertThat(store.list(asked))
                                        .as(asked.toString())
                                        .isEqualTo(plain.list(asked));
                            }
                        }
                    }
                }
            }
        }
    }

    /** By either way to look: through what ended since, or through all. */
    @Test
    void findsWhatEndedSinceAsIfEachTaskWereLookedAt() throws Exception {
        TaskStore plain = new FakeStore();
        List<TaskId> ids = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            Map<String, String> labels = Map.of("two", "" + i % 2);
            Task task = i % 4 == 0
                    ? SampleTasks.of("Number " + i % 4, labels, TaskStatus.RUNNING)
                    : SampleTasks.endedAt(SampleTasks.NOW.plusSeconds(i * 7 % 60), "Number " + i % 4, labels);
            ids.add(task.id());
            assertThat(store.insert(task)).isEqualTo(plain.insert(task));
        }

        for (var labels : List.of(Map.<String, String>of(), Map.of("two", "1"))) {
            for (String text : Arrays.asList(null, "NUMBER 1")) {
                for (TaskId before : Arrays.asList(null, ids.get(30))) {
                    for (StatusFilter filter : List.of(StatusFilter.ENDED, StatusFilter.ALL)) {
                        for (int second : List.of(0, 31, 70)) {
                            Instant after = SampleTasks.NOW.plusSeconds(second);
                            Query asked = new Query(filter, null, labels, text, 3, before, after, null);
                            List<String> expected = plain.list(asked).tasks().stream()
                                    .map(task -> task.id().value())
                                    .toList();
                            for (boolean few : List.of(true, false)) {
                                assertThat(ids(new IdQuery(asked, few)))
                                        .as("%s %s", asked, few)
                                        .isEqualTo(expected);
                            }
                            assertThat(store.list(asked)).isEqualTo(plain.list(asked));
                        }
                    }
                }
            }
        }
    }

    private List<String> ids(IdQuery query) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return query.read(connection, 3);
        }
    }

    /** The bytes of the file now are what a kill -9 now would leave. */
    @Test
    void hasInTheFileWhatItAcknowledged() throws Exception {
        Task inserted = store.insert(SampleTasks.running("sleep 60"));
        assertThat(statusesIn(copyOfTheFile("inserted"))).isEqualTo("RUNNING");

        store.save(TaskLifecycle.apply(inserted, new TaskEvent.StopRequested(), SampleTasks.NOW));
        assertThat(statusesIn(copyOfTheFile("saved"))).isEqualTo("CANCELLING");

        store.forget(inserted.id(), SampleTasks.NOW);
        assertThat(statusesIn(copyOfTheFile("deleted"))).isNull();
    }

    @Test
    void madeTheDataFolderForItsOwnerAlone() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(config.dataDir())))
                .isEqualTo("rwx------");
        assertThat(config.dataDir().resolve("holdfast.mv.db")).exists();
    }

    private Path copyOfTheFile(String name) throws IOException {
        return Files.copy(config.dataDir().resolve("holdfast.mv.db"), elsewhere.resolve(name + ".mv.db"));
    }

    private static @Nullable String statusesIn(Path file) throws SQLException {
        String url = "jdbc:h2:file:" + file.toString().replace(".mv.db", "");
        try (Connection connection = DriverManager.getConnection(url, "holdfast", "");
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select listagg(status) from tasks")) {
            row.next();
            return row.getString(1);
        }
    }
}
