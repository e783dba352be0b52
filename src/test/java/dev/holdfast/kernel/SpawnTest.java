package dev.holdfast.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpawnTest {
    private static final Path SH = Path.of("/bin/sh");

    @TempDir
    Path folder;

    @Test
    void givesWorkdirEnvironmentAndFilesAndNothingElse() throws Exception {
        Path out = folder.resolve("out");
        Spawn spawn = new Spawn()
                .workdir(folder)
                .open(0, Path.of("/dev/null"), Descriptor.READ, 0)
                .open(1, out, Descriptor.WRITE | Descriptor.CREATE | Descriptor.APPEND, 0600);
        String script = "pwd; env | grep -v ^PWD= | sort; ls /proc/self/fd | tr '\\n' ' '; echo; echo ü";
        long pid = spawn.start(SH, List.of("sh", "-c", script), Map.of("PATH", "/usr/bin:/bin", "NAME", "wert ü"));
        assertThat(end(pid)).isEqualTo(new WaitStatus(0));
        assertThat(Files.readString(out))
                .isEqualTo(folder.toRealPath() + "\nNAME=wert ü\nPATH=/usr/bin:/bin\n0 1 2 3 \nü\n");
    }

    @Test
    void leadsASessionWithNoSignalIgnoredOrBlocked() throws Exception {
        Path out = folder.resolve("out");
        long pid = new Spawn()
                .open(1, out, Descriptor.WRITE | Descriptor.CREATE, 0600)
                .start(Path.of("/bin/cat"), List.of("cat", "/proc/self/stat", "/proc/self/status"), Map.of());
        end(pid);
        String text = Files.readString(out);
        String[] fields = text.lines().findFirst().orElseThrow().split(" ", -1);
        assertThat(fields[5]).as("session").isEqualTo(String.valueOf(pid));
        assertThat(text)
                .containsPattern("SigBlk:\\s0{16}")
                .containsPattern("SigIgn:\\s0000000[01]80000000|SigIgn:\\s0{16}");
    }

    @Test
    void tellsExitAndSignalApart() throws Exception {
        long exits = new Spawn().start(SH, List.of("sh", "-c", "exit 137"), Map.of());
        assertThat(end(exits).code()).isEqualTo(137);
        long dies = new Spawn().start(SH, List.of("sh", "-c", "kill -9 $$"), Map.of());
        assertThat(end(dies).signal()).isEqualTo(9);
        assertThat(Processes.reap(dies)).isEmpty();
    }

    @Test
    void failuresCarryTheirNumber() {
        assertThatThrownBy(() -> new Spawn().start(folder.resolve("none"), List.of("none"), Map.of()))
                .isInstanceOfSatisfying(
                        ErrnoException.class, e -> assertThat(e.errno()).isEqualTo(ErrnoException.ENOENT));
        String long_ = "x".repeat(200_000);
        assertThatThrownBy(() -> new Spawn().start(SH, List.of("sh", "-c", long_), Map.of()))
                .isInstanceOfSatisfying(
                        ErrnoException.class, e -> assertThat(e.errno()).isEqualTo(ErrnoException.E2BIG));
    }

    @Test
    void aRunningChildIsNotReaped() throws Exception {
        long pid = new Spawn().start(Path.of("/bin/sleep"), List.of("sleep", "60"), Map.of());
        assertThat(Processes.reap(pid)).isEmpty();
        assertThat(Processes.signalGroup(pid, 9)).isTrue();
        assertThat(end(pid).signal()).isEqualTo(9);
    }

    private static WaitStatus end(long pid) throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        try (KernelEvents events = new KernelEvents();
                Pidfd pidfd = Pidfd.open(pid).orElseThrow()) {
            events.onExit(pidfd, ended::countDown);
            assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        }
        Optional<WaitStatus> exit = Processes.reap(pid);
        return exit.orElseThrow();
    }
}
