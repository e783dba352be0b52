package dev.holdfast.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.kernel.ProcessExits.Exit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProcessExitsTest {
    /** The processes of a container of its own are not told of; those of the machine are, each with its parent. */
    @Test
    void tellsOfEveryEndThatIsNoSuccess() throws Exception {
        Optional<ProcessExits> opened = ProcessExits.open();
        boolean first =
                Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString().equals("pid:[4026531836]");
        assertThat(opened.isPresent() && !first).isFalse();
        if (opened.isEmpty()) {
            return; // this kernel does not tell: that nothing is made up is all there is to see
        }
        try (ProcessExits exits = opened.get()) {
            long success = end("true");
            long code = end("exit 130");
            long signal = end("kill -KILL $$");
            List<Exit> told = new ArrayList<>();
            await().until(() -> {
                exits.drain(told::add);
                return told.stream().anyMatch(exit -> exit.pid() == signal);
            });
            long self = ProcessHandle.current().pid();
            assertThat(told)
                    .contains(new Exit(code, self, new WaitStatus(130 << 8)), new Exit(signal, self, new WaitStatus(9)))
                    .noneMatch(exit -> exit.pid() == success);
        }
    }

    private static long end(String text) throws Exception {
        Process process = new ProcessBuilder("/bin/sh", "-c", text).start();
        process.waitFor();
        return process.pid();
    }
}
