package dev.holdfast.host.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.task.Sandbox.Files;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which folder counts at the end, for folders that are not there and so have no other name. */
class MountsTest {
    private static String behindWall(String data, String workspace, Files files, String path) {
        List<String> arguments = new Mounts(Path.of(data), Path.of(workspace)).of(files, null, null);
        List<String> last = new ArrayList<>(List.of("none"));
        for (int i = 0; i < arguments.size(); ) {
            String option = arguments.get(i);
            boolean from = option.contains("bind");
            String at = arguments.get(from ? i + 2 : i + 1);
            if (Path.of(path).startsWith(at)) {
                last.add(option);
            }
            i += from ? 3 : 2;
        }
        return last.getLast();
    }

    @ParameterizedTest
    @CsvSource({
        "/home/x/.data, /home/x/ws, /home/x/ws/a, --bind-try",
        "/home/x/.data, /home/x/ws, /home/x/b, --ro-bind",
        "/home/x/.data, /home/x/ws, /home/x/.data/token, --tmpfs",
        "/home/x/ws/data, /home/x/ws, /home/x/ws/data/token, --tmpfs",
        "/home/x/ws/data, /home/x/ws, /home/x/ws/a, --bind-try",
        "/home/x/data, /home/x/data/ws, /home/x/data/token, --tmpfs",
        "/home/x/data, /home/x/data/ws, /home/x/data/ws/a, --bind-try",
        "/tmp/no/data, /tmp/no/ws, /tmp/no/ws/a, --bind-try",
        "/tmp/no/data, /tmp/no/ws, /tmp/no/data/a, --tmpfs",
        "/tmp/no/data, /tmp/no/ws, /tmp/no/a, --tmpfs",
        "/tmp/no/data, /tmp, /tmp/a, --bind-try",
        "/tmp/no/data, /tmp, /tmp/no/data/a, --tmpfs",
        "/data, /, /etc/passwd, --bind-try",
        "/data, /, /proc/1, --proc",
        "/data, /, /dev/sda, --dev",
        "/data, /, /tmp/a, --tmpfs",
        "/data, /ws, /run/docker.sock, --tmpfs",
        "/data, /ws, /proc/1, --proc",
        "/data, /ws, /proc/sysrq-trigger, --ro-bind-try",
    })
    void theDeeperFolderCounts(String data, String workspace, String path, String option) {
        assertThat(behindWall(data, workspace, Files.WORKSPACE_WRITE, path)).isEqualTo(option);
        assertThat(behindWall(data, workspace, Files.READ_ONLY, path))
                .isEqualTo(Objects.equals(option, "--bind-try") ? "--ro-bind-try" : option);
    }

    @ParameterizedTest
    @CsvSource({
        "/home/ws, false",
        "/home/ws/a, false",
        "/home, false",
        "/, false",
        "/tmp, false",
        "/tmp/a, true",
        "/proc, true",
        "/proc/1/root, true",
        "/dev/shm, true",
        "/run, true",
        "/run/docker, true",
        "/home/data, true",
        "/home/data/tasks, true",
        "/home/data/ws, false",
        "/home/ws/data, true",
        "/home/ws/data/tasks, true",
    })
    void aWorkdirThatIsHiddenIsKnown(String workdir, boolean hidden) {
        Path workspace = Path.of(workdir.startsWith("/home/data/ws") ? "/home/data/ws" : "/home/ws");
        Path data = Path.of(workdir.startsWith("/home/ws/data") ? "/home/ws/data" : "/home/data");
        assertThat(new Mounts(data, workspace).hides(Path.of(workdir))).isEqualTo(hidden);
    }

    @Test
    void aStdinIsAllThatThereIsOfTheDataFolder() {
        List<String> arguments = new Mounts(Path.of("/home/data"), Path.of("/home/ws"))
                .of(Files.READ_ONLY, Path.of("/home/data/tasks/x/in"), null);

        assertThat(arguments).endsWith("--bind", "/home/data/tasks/x/in", "/home/data/tasks/x/in");
    }

    @Test
    void ofAShellOfOursItsOwnFilesAreThereToBeWrittenOrNot(@TempDir Path temporary) throws IOException {
        Path data = temporary.toRealPath().resolve("data");
        Path shells = data.resolve("shells");
        Path shell = file(shells.resolve("one/bash"), "r-x------");
        Path cwd = file(shells.resolve("one/cwd"), "rw-------");
        file(shells.resolve("other/bash"), "r-x------");
        file(shells.resolve("secret"), "r--------");
        Path task = file(data.resolve("tasks/x/command"), "rwx------");
        Mounts mounts = new Mounts(data, Path.of("/home/ws"));

        assertThat(mounts.of(Files.READ_ONLY, null, shell))
                .containsSequence("--ro-bind", shell.toString(), shell.toString())
                .containsSequence("--bind", cwd.toString(), cwd.toString())
                .noneMatch(argument -> argument.contains("other") || argument.contains("secret"));
        for (Path none : List.of(task, shells.resolve("secret"), shells.resolve("one/none/bash"), Path.of("/bin/sh"))) {
            assertThat(mounts.of(Files.READ_ONLY, null, none)).isEqualTo(mounts.of(Files.READ_ONLY, null, null));
        }
    }

    private static Path file(Path file, String mode) throws IOException {
        java.nio.file.Files.createDirectories(file.getParent());
        java.nio.file.Files.writeString(file, "");
        return java.nio.file.Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }
}
