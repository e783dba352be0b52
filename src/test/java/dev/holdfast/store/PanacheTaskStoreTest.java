package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.runtime.TaskStore;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskEvent;
import dev.holdfast.task.TaskLifecycle;
import io.quarkus.narayana.jta.QuarkusTransaction;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract on the real adapter, and what only a real file can show. */
@QuarkusTest
@TestProfile(OwnDatabase.class)
class PanacheTaskStoreTest extends TaskListsContract {
    @Inject
    TaskStore store;

    @Inject
    HoldfastConfig config;

    @TempDir
    Path elsewhere;

    @Override
    TaskStore store() {
        return store;
    }

    @BeforeEach
    void empty() {
        QuarkusTransaction.requiringNew().run(() -> TaskRow.deleteAll());
    }

    /** The bytes of the file now are what a kill -9 now would leave. */
    @Test
    void hasInTheFileWhatItAcknowledged() throws Exception {
        Task inserted = store.insert(SampleTasks.running("sleep 60"));
        assertThat(statusesIn(copyOfTheFile("inserted"))).isEqualTo("RUNNING");

        store.save(TaskLifecycle.apply(inserted, new TaskEvent.StopRequested(), SampleTasks.NOW));
        assertThat(statusesIn(copyOfTheFile("saved"))).isEqualTo("CANCELLING");

        store.delete(inserted.id());
        assertThat(statusesIn(copyOfTheFile("deleted"))).isNull();
    }

    @Test
    void writesInATransactionOfItsOwn() {
        Task task = SampleTasks.running("sleep 60");
        QuarkusTransaction.begin();
        store.insert(task);
        QuarkusTransaction.rollback();

        assertThat(store.find(task.id())).isPresent();
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
