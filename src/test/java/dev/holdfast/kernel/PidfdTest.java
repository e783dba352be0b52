package dev.holdfast.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class PidfdTest {
    @Test
    void signalsOneProcessAndSaysWhenItIsGone() throws Exception {
        Process process = new ProcessBuilder("sleep", "60").start();
        try (Pidfd pidfd = Pidfd.open(process.pid()).orElseThrow()) {
            assertThat(pidfd.exit()).isEmpty();
            assertThat(pidfd.signal(15)).isTrue();
            assertThat(process.waitFor()).isEqualTo(143);
            assertThat(pidfd.signal(0)).isFalse();
        }
    }

    @Test
    void aPidThatIsNobodysIsEmpty() {
        assertThat(Pidfd.open(Integer.MAX_VALUE - 1L)).isEmpty();
        assertThat(Pidfd.open(-1)).isEmpty();
    }

    @Test
    void aClosedOneSignalsNobody() throws Exception {
        Process process = new ProcessBuilder("sleep", "60").start();
        Pidfd pidfd = Pidfd.open(process.pid()).orElseThrow();
        pidfd.close();
        pidfd.close();
        assertThat(pidfd.signal(9)).isFalse();
        assertThat(process.isAlive()).isTrue();
        process.destroyForcibly().waitFor();
    }

    @Test
    void tellsHowAReapedProcessEndedWhereTheKernelDoes() throws Exception {
        Process process = new ProcessBuilder("sh", "-c", "read x; kill -KILL $$").start();
        try (Pidfd pidfd = Pidfd.open(process.pid()).orElseThrow()) {
            process.outputWriter().close();
            process.waitFor();
            Optional<WaitStatus> exit = pidfd.exit();
            String[] release = System.getProperty("os.version").split("\\.", 3);
            boolean tells = Integer.parseInt(release[0]) * 1000 + Integer.parseInt(release[1]) >= 6015;
            assertThat(exit.map(WaitStatus::signal)).isEqualTo(tells ? Optional.of(9) : Optional.empty());
        }
    }
}
