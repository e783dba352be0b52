package dev.holdfast.host.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.host.HostFixture;
import dev.holdfast.host.Python;
import dev.holdfast.runtime.port.CommandHost.Folder;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.task.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The killer is made to choose a command wherever a control group with a limit can be made and the kernel's log be read
 * (as root on the machine itself); lines that kernels wrote are read everywhere.
 */
@Timeout(180)
class OutOfMemoryTest {
    private static final String VMA = " total-vm:218656kB, anon-rss:29056kB, file-rss:5468kB, shmem-rss:0kB, UID:0"
            + " pgtables:124kB oom_score_adj:500\n";

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            3,497,15736281867,-;Memory cgroup out of memory: Killed process 29761 (python3)| python3
            3,1203,15736281867,-;Out of memory: Killed process 29761 (a) S (b)| a) S (b
            3,1203,15736281867,c;Out of memory (oom_kill_allocating_task): Killed process 29761 (x)| x
            """)
    void readsWhatTheKernelWrote(String line, String name) {
        Map<String, String> told = OutOfMemory.victim(line + VMA, Set.of(29761L), 15736000000L);

        assertThat(told)
                .isEqualTo(Map.of(
                        "out_of_memory", "true", "killed_pid", "29761", "killed_name", name, "evidence", "kernel log"));
        assertThat(OutOfMemory.victim(line + VMA, Set.of(2976L), 0))
                .as("another's")
                .isEmpty();
        assertThat(OutOfMemory.victim(line + VMA, Set.of(29761L), 15736281868L))
                .as("too early")
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "12,5,15736281867,-;Out of memory: Killed process 29761 (written by a process) total-vm:1kB",
                "4,418,15736281171,-;python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
                "6,496,15736281833,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),task=python3,pid=29761,uid=0",
                "6,1,2,-;[  29761]     0 29761    54664     7264      124        0             0 python3",
                ""
            })
    void takesNothingElseForIt(String line) {
        assertThat(OutOfMemory.victim(line, Set.of(29761L), 0)).isEmpty();
    }

    @Test
    void aCommandThatWasChosenSaysSoAndOneThatWasKilledDoesNot() throws Exception {
        try (HostFixture fixture = new HostFixture(folder);
                Limited group = Limited.make()) {
            HostedCommand chosen = fixture.sh(group.entering() + "exec " + Python.PATH + " -c 'bytearray(200 << 20)'");
            HostedCommand child = fixture.sh(group.entering() + Python.PATH + " -c 'bytearray(200 << 20)'; exit $?");
            HostedCommand killed = fixture.sh("kill -KILL $$");

            Exit ofOne = HostFixture.end(chosen);
            Exit ofOther = HostFixture.end(child);
            assertThat(HostFixture.end(killed)).isEqualTo(new Exit.Signalled("SIGKILL"));
            assertThat(killed.endingDetails()).isEmpty();
            if (group.limits()) {
                assertThat(ofOne).isEqualTo(new Exit.Signalled("SIGKILL"));
                assertThat(chosen.endingDetails()).containsEntry("out_of_memory", "true");
                assertThat(chosen.endingDetails().get("killed_name")).startsWith("python3");
                assertThat(ofOther).isEqualTo(new Exit.Code(137));
                assertThat(child.endingDetails()).containsEntry("out_of_memory", "true");
                assertThat(child.endingDetails().get("killed_pid"))
                        .isNotEqualTo(chosen.endingDetails().get("killed_pid"));
            } else {
                assertThat(ofOne).isEqualTo(new Exit.Code(0));
                assertThat(chosen.endingDetails()).isEmpty();
                assertThat(child.endingDetails()).isEmpty();
            }
        }
    }

    /** It ran long enough for its pid to be on record; the next server finds the rest in the kernel's log. */
    @Test
    void whatWasChosenWhileNoServerRanSaysSoToo() throws Exception {
        try (HostFixture fixture = new HostFixture(folder);
                Limited group = Limited.make()) {
            HostedCommand command = fixture.sh("until [ -e go ]; do sleep 0.2; done; " + group.entering() + "exec "
                    + Python.PATH + " -c 'bytearray(200 << 20)'");
            HostFixture.process(command);
            fixture.host.close();
            Files.createFile(fixture.workdir.resolve("go"));
            HostFixture.end(command);

            fixture.host = fixture.another();
            Folder.Ended ended =
                    (Folder.Ended) fixture.host.folder(command.id()).orElseThrow();
            assertThat(fixture.host.endingDetails(ended).containsKey("out_of_memory"))
                    .isEqualTo(group.limits());
        }
    }

    /** A control group of 30 MB, of whichever version is there and may be written; else none, which limits nothing. */
    private record Limited(@Nullable Path path) implements AutoCloseable {
        static Limited make() {
            for (String[] version : new String[][] {
                {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "30000000"},
                {"/sys/fs/cgroup", "memory.max", "memory.swap.max", "0"}
            }) {
                Path made = Path.of(
                        version[0], "holdfast-test-" + ProcessHandle.current().pid());
                try {
                    Files.createDirectory(made);
                    Files.writeString(made.resolve(version[1]), "30000000");
                    if (Files.exists(made.resolve(version[2]))) {
                        Files.writeString(made.resolve(version[2]), version[3]); // what is swapped out is not killed
                    }
                    if (Files.isReadable(Path.of("/dev/kmsg"))) {
                        return new Limited(made);
                    }
                    Files.delete(made);
                } catch (IOException e) {
                    made.toFile().delete(); // not this version, or not ours to make
                }
            }
            return new Limited(null);
        }

        boolean limits() {
            return path != null;
        }

        String entering() {
            return path == null ? "" : "echo $$ >" + path + "/cgroup.procs; ";
        }

        @Override
        public void close() throws IOException {
            if (path != null) {
                await().until(() ->
                        Files.readString(path.resolve("cgroup.procs")).isEmpty());
                Files.delete(path);
            }
        }
    }
}
