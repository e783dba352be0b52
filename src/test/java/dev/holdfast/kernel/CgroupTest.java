package dev.holdfast.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

public class CgroupTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "/,         /user/a, /cg/user/a",
        "/,         /,       /cg",
        "/docker/1, /docker/1/x, /cg/x",
        "/docker/1, /elsewhere,  /cg",
        "/,         /../b,   /cg",
    })
    void placesAreOnesOwnGroupAndTheTopmost(String root, String own, String first) {
        List<String> mounts = List.of(
                "31 23 0:28 / /tmp rw - tmpfs tmpfs rw",
                "32 31 0:29 / /cpu rw - cgroup cgroup rw,cpu",
                "41 31 0:38 " + root + " /cg rw,relatime shared:9 - cgroup2 cgroup2 rw");
        assertThat(Cgroup.places(mounts, own))
                .startsWith(new Cgroup(Path.of(first)))
                .endsWith(new Cgroup(Path.of("/cg")));
        assertThat(Cgroup.places(mounts.subList(0, 2), own)).isEmpty();
    }

    @Test
    void holdsWhoIsBornOfItsMembersAndKillsThemAtOnce() throws Exception {
        Optional<Cgroup> made = make();
        Process shell =
                new ProcessBuilder("sh", "-c", "read x; env -i setsid sh -c '(sleep 300 &)'; exec sleep 300").start();
        try {
            Cgroup group = made.orElse(new Cgroup(folder));
            assertThat(group.take(shell.pid())).isEqualTo(made.isPresent());
            shell.outputWriter().append("\n").close();
            if (made.isPresent()) {
                await().until(() -> group.processes().size() == 2);
                assertThat(Cgroup.of(Long.toString(shell.pid())))
                        .endsWith(group.folder().getFileName().toString());
                group.remove();
                assertThat(group.folder()).exists();
                assertThat(group.kill()).isTrue();
                await().until(() -> group.processes().isEmpty());
                group.remove();
                assertThat(group.folder()).doesNotExist();
            }
            assertThat(group.processes()).isEmpty();
        } finally {
            shell.destroyForcibly().waitFor();
        }
    }

    @Test
    void whatIsNoGroupHoldsNobodyAndIsNoError() throws Exception {
        Cgroup none = new Cgroup(folder.resolve("gone").resolve("group"));
        assertThat(none.make()).isFalse();
        assertThat(none.take(ProcessHandle.current().pid())).isFalse();
        assertThat(none.processes()).isEmpty();
        assertThat(none.children()).isEmpty();
        assertThat(none.kill()).isFalse();
        none.remove();
        assertThat(Cgroup.of("0")).isEmpty();
        assertThat(folder).isEmptyDirectory();
    }

    /** Empty where this user may make none. */
    public static Optional<Cgroup> make() {
        String name = "holdfast-test-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
        return Cgroup.places().stream()
                .map(place -> place.child(name))
                .filter(Cgroup::make)
                .findFirst();
    }

    public static boolean canBeMade() {
        Optional<Cgroup> made = make();
        made.ifPresent(Cgroup::remove);
        return made.isPresent();
    }
}
