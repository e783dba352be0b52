package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.runtime.port.TaskStore.Query;
import dev.holdfast.runtime.port.TaskStore.StatusFilter;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskStatus;
import io.agroal.api.AgroalDataSource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

/** What is asked of a database that was closed: it is open again afterwards, for those who share it. */
@QuarkusTest
@TestProfile(OwnDatabase.class)
class ClosedDatabaseAppTest {
    @Inject
    TaskStore store;

    @Inject
    AgroalDataSource pool;

    @ConfigProperty(name = "quarkus.datasource.jdbc.url")
    String url;

    @ConfigProperty(name = "quarkus.datasource.username")
    String user;

    /** As a write on a full disk leaves it: closed under every connection that the pool has. */
    @Test
    void whatChangesNoNewsIsDoneAgainAfterTheDatabaseWasClosed() throws Exception {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("delete from tasks");
        }
        Task kept = store.insert(SampleTasks.of("kept", Map.of(), TaskStatus.COMPLETED));
        Task deleted = store.insert(SampleTasks.of("deleted", Map.of(), TaskStatus.COMPLETED));

        closeUnderAll();
        store.forget(deleted.id(), SampleTasks.NOW);
        closeUnderAll();
        assertThat(store.find(deleted.id())).isEmpty();
        closeUnderAll();
        assertThat(store.countActive(null)).isZero();
        closeUnderAll();
        assertThat(store.list(Query.newest(StatusFilter.ALL, 9, null)).tasks()).containsExactly(kept);
    }

    /** As it is found open where its file could not be written when it was opened: H2 takes it so until it is closed. */
    @Test
    void whatWasOpenedReadOnlyIsWrittenOnceItCanBe() throws Exception {
        Task task = store.insert(SampleTasks.of("late", Map.of(), TaskStatus.COMPLETED));
        closeUnderAll();
        try (Connection _ = DriverManager.getConnection(url + ";ACCESS_MODE_DATA=r", user, "")) {
            assertThat(store.find(task.id())).contains(task);
            assertThatThrownBy(() -> store.save(task)).isInstanceOfSatisfying(Refusal.class, refusal -> {
                assertThat(refusal.kind()).isEqualTo(ErrorKind.STORAGE_FULL);
                assertThat(refusal).hasMessage("The database cannot be used (The database is read only).");
                assertThat(refusal.recoveryHint()).contains("Free disk space").contains("can write");
            });

            Task saved = store.save(task);

            assertThat(store.find(task.id())).contains(saved);
            store.forget(task.id(), SampleTasks.NOW);
            assertThat(store.find(task.id())).isEmpty();
        }
    }

    @Test
    void aRowThatIsRefusedClosesNothing() throws Exception {
        Task task = SampleTasks.of("twice", Map.of(), TaskStatus.COMPLETED);
        store.insert(task);
        try (Connection other = pool.getConnection()) {
            assertThatThrownBy(() -> store.insert(task)).isInstanceOf(IllegalStateException.class);
            assertThat(other.isValid(1)).isTrue();
        }
    }

    private void closeUnderAll() throws SQLException {
        List<Connection> open = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            open.add(pool.getConnection());
        }
        try (Statement statement = open.getFirst().createStatement()) {
            statement.execute("shutdown immediately");
        }
        for (Connection connection : open) {
            connection.close();
        }
    }
}
