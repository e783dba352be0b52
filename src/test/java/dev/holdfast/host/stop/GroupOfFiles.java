package dev.holdfast.host.stop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** Stands for a control group in which somebody lives whom nobody sees: the kernel leaves one too seldom. */
final class GroupOfFiles {
    private final Path data;
    private final Path groups;
    private Path group;

    GroupOfFiles(Path folder) throws IOException {
        data = Files.createDirectories(folder.resolve("data"));
        groups = Files.createDirectory(folder.resolve("holdfast-" + UUID.randomUUID()));
        group = groups;
        Files.writeString(data.resolve("cgroup"), groups.toString());
    }

    /** For the lineage that is to know of it. */
    Path data() {
        return data;
    }

    void live(TaskId task) throws IOException {
        group = Files.createDirectory(groups.resolve(task.value()));
        Files.createFile(group.resolve("cgroup.procs"));
        Files.createFile(group.resolve("cgroup.kill"));
        Files.writeString(group.resolve("cgroup.events"), "populated 1\nfrozen 0\n");
    }

    /** From now on a kill waits for {@link #killed}. */
    void holdKills() throws Exception {
        Path kill = group.resolve("cgroup.kill");
        Files.delete(kill);
        assertThat(new ProcessBuilder("mkfifo", kill.toString()).start().waitFor())
                .isZero();
    }

    /** Blocks until it is killed, which then goes on. */
    void killed() throws IOException {
        try (InputStream kill = Files.newInputStream(group.resolve("cgroup.kill"))) {
            assertThat(kill.read()).isEqualTo('1');
        }
    }

    void killedAgainAndAgain() throws IOException {
        Path kill = group.resolve("cgroup.kill");
        for (int i = 0; i < 5; i++) {
            await().until(() -> Files.size(kill) > 0);
            Files.writeString(kill, "");
        }
    }

    void empty() throws IOException {
        Files.writeString(group.resolve("cgroup.events"), "populated 0\nfrozen 0\n");
    }
}
