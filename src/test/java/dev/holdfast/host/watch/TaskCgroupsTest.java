package dev.holdfast.host.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.acceptance.Folders;
import dev.holdfast.host.StartedTask;
import dev.holdfast.kernel.CgroupTest;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.TaskId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TaskCgroupsTest {
    private static final TaskId ID = new TaskId("task_01M8JE339MZ81DS8MTS3D67083");

    @TempDir
    Path dataDir;

    /** On a full disk it cannot; nobody would find them again. */
    @Test
    void areMadeAsSoonAsItCanBePutDownWhere() throws Exception {
        Path inTheWay = dataDir.resolve("cgroup");
        Files.createDirectories(inTheWay.resolve("file"));
        TaskCgroups groups = new TaskCgroups(dataDir);
        Process command = new ProcessBuilder("sleep", "300").start();
        try {
            ProcessIdentity process = StartedTask.stat(command.pid()).identity();
            groups.begin(ID, process);
            assertThat(groups.processes(ID)).isEmpty();

            Folders.delete(inTheWay);
            groups.begin(ID, process);
            assertThat(groups.processes(ID)).isEqualTo(CgroupTest.canBeMade() ? Set.of(command.pid()) : Set.of());
        } finally {
            command.destroyForcibly().waitFor();
            groups.end(ID);
            groups.sweep(Set.of());
        }
    }
}
