package dev.holdfast.host.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.runtime.port.HostedCommand.TerminalListener;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.TaskId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What one terminal tells its listeners, without a keeper. */
class HeldTerminalTest {
    private static final String FILE = "before, while nobody was connected, after";

    private final List<String> heard = new ArrayList<>();
    private final TerminalListener listener = new TerminalListener() {
        @Override
        public void onOutput(long from, byte[] bytes) {
            heard.add(from + ":" + new String(bytes, StandardCharsets.UTF_8));
        }

        @Override
        public void onClose() {
            heard.add("closed");
        }
    };
    private final HeldTerminal terminal =
            new HeldTerminal(new TaskId("task_01J00000000000000000000000"), HeldTerminalTest::read);

    private static OutputStore.Slice read(TaskId id, long from, int most) {
        byte[] file = FILE.getBytes(StandardCharsets.UTF_8);
        int start = (int) Math.min(from, file.length);
        int next = Math.min(start + most, file.length);
        return new OutputStore.Slice(Arrays.copyOfRange(file, start, next), start, next, List.of());
    }

    @Test
    void whatItPrintedWhileTheConnectionWasBrokenComesBeforeItsEnd() {
        terminal.attached(listener, 0);
        terminal.output(0, "before".getBytes(StandardCharsets.UTF_8));

        terminal.closed();

        assertThat(heard).containsExactly("0:before", "6:, while nobody was connected, after", "closed");
    }

    @Test
    void whatWasHeardIsNotHeardAgain() {
        terminal.attached(listener, 0);
        terminal.output(0, FILE.getBytes(StandardCharsets.UTF_8));

        terminal.closed();

        assertThat(heard).containsExactly("0:" + FILE, "closed");
    }
}
