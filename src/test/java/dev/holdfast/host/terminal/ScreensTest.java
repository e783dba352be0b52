package dev.holdfast.host.terminal;

import static dev.holdfast.host.terminal.TerminalBench.LIMIT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.kernel.Names;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalScreen;
import dev.holdfast.task.TerminalSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Where a screen is found: at the keeper, in the task's folder, in the output. */
class ScreensTest extends BenchedTest {
    private static final TaskId ENDED = new TaskId("task_01J00000000000000000000000");
    private static final TerminalSize SMALL = new TerminalSize(4, 20);

    private TerminalScreen screen(TaskId id) {
        return bench.host.screen(id, SMALL);
    }

    private TaskFolder folder(TaskId id) throws IOException {
        TaskFolder folder = TaskFolder.of(dataDir, id);
        Files.createDirectories(folder.path());
        return folder;
    }

    private TaskId start(String script, TerminalSize size) {
        return bench.start(script, size, Path.of("/"), Map.of());
    }

    @Test
    void theKeeperTellsItAndAfterTheEndTheFolderDoes() {
        TaskId id = start("printf '\\033]0;name\\007\\033[?25l\\033[2;3Hhere'; read -r line", SMALL);
        bench.awaitDrawn(id, "here");
        TerminalScreen live = screen(id);
        assertThat(live.lines()).containsExactly("", "  here", "", "");
        assertThat(live.title()).isEqualTo("name");
        assertThat(live.cursorVisible()).isFalse();
        assertThat(live.cursorRow()).isEqualTo(1);
        assertThat(live.cursorCol()).isEqualTo(6);

        bench.type(id, "\n");
        bench.awaitClosed(id);
        TerminalScreen last = screen(id);
        assertThat(last.lines()).isEqualTo(live.lines());
        assertThat(last.title()).isEqualTo("name");
        assertThat(last.cursorRow()).isEqualTo(2);

        bench.replaceServer();
        assertThat(screen(id)).isEqualTo(last);
    }

    /**
     * There is no moment at which it is nowhere, so that the output would be drawn again: its size shows which it was.
     */
    @Test
    void itIsToldOrKeptAtEveryMomentOfTheEnd() {
        TerminalSize own = new TerminalSize(5, 30);
        for (int round = 0; round < 30; round++) {
            TaskId id = start("printf over", own);
            do {
                assertThat(screen(id).size()).isEqualTo(own);
            } while (bench.holds(id));
            assertThat(screen(id).lines()).startsWith("over");
            assertThat(screen(id).size()).isEqualTo(own);
        }
    }

    @Test
    void nobodyWaitsForAFifoInItsPlace() throws IOException {
        TaskFolder folder = folder(ENDED);
        Files.writeString(folder.output(StreamName.STDOUT), "printed");
        Names.fifo(folder.screen());
        assertThat(screen(ENDED).lines()).startsWith("printed");
    }

    @Test
    void whereTheKeeperWasKilledItIsDrawnAgain() {
        TaskId id = start("printf 'usual\\033[?1049h\\033[2;2Hother'; read -r line", SMALL);
        bench.awaitDrawn(id, "other");
        TerminalScreen live = screen(id);
        ProcessHandle keeper = ProcessHandle.of(bench.keeperPid()).orElseThrow();
        keeper.destroyForcibly();
        await().atMost(LIMIT).until(() -> !keeper.isAlive() && !bench.holds(id));

        assertThat(TaskFolder.of(dataDir, id).screen()).doesNotExist();
        assertThat(screen(id)).isEqualTo(live);
        assertThat(live.alternate() && live.usedAlternate()).isTrue();
    }

    @Test
    void ofALongOutputTheEndIsDrawn() throws Exception {
        String line = "0123456789abcdef\r\n";
        Files.writeString(folder(ENDED).output(StreamName.STDOUT), line.repeat(200_000) + "end");
        assertThat(screen(ENDED).lines()).endsWith("0123456789abcdef", "0123456789abcdef", "end");
        assertThat(screen(ENDED).whole()).isFalse();
    }

    @Test
    void whatIsDamagedIsDrawnAgain() throws Exception {
        TaskFolder folder = folder(ENDED);
        Files.writeString(folder.output(StreamName.STDOUT), "printed");
        for (String damage : new String[] {"", "{", "[]", "{}", "{\"rows\":4,\"cols\":20,\"cursor\":7}", "\0\0\0"}) {
            Files.writeString(folder.screen(), damage);
            assertThat(screen(ENDED).lines()).containsExactly("printed", "", "", "");
        }
    }

    @Test
    void whereNothingWasPrintedItIsBlank() throws Exception {
        assertThat(screen(ENDED).lines()).containsExactly("", "", "", "");
        Files.createFile(folder(ENDED).output(StreamName.STDOUT));
        assertThat(screen(ENDED).text()).isEqualTo("\n\n\n");
    }

    @Test
    void anySizeCanBeDrawn() throws Exception {
        Files.writeString(folder(ENDED).output(StreamName.STDOUT), "a界b\033#8\033[?1049h\033#8");
        assertThat(bench.host.screen(ENDED, new TerminalSize(1, 1)).lines()).containsExactly("E");
        TerminalScreen large = bench.host.screen(ENDED, new TerminalSize(1000, 1000));
        assertThat(large.lines()).hasSize(1000).containsOnly("E".repeat(1000));
    }

    @Test
    void randomBytesAreDrawnSomehow() throws Exception {
        Path out = folder(ENDED).output(StreamName.STDOUT);
        Random random = new Random(5);
        for (int round = 0; round < 20; round++) {
            byte[] bytes = new byte[20_000];
            random.nextBytes(bytes);
            Files.write(out, bytes);
            assertThat(screen(ENDED).lines()).hasSize(4);
            assertThat(screen(ENDED).text().getBytes(UTF_8))
                    .asString(UTF_8)
                    .isEqualTo(screen(ENDED).text());
        }
    }

    /** Its heap is small: told again and again, while others live in it. */
    @Test
    void theLargestIsToldByAKeeperThatGoesOn() {
        TaskId large = start(
                "printf '\\033#8\\033[?1049h\\033#8\\033[H'; printf drawn; read -r line", new TerminalSize(1000, 1000));
        TaskId other = start("read -r line; echo \"got $line\"", TerminalSize.DEFAULT);
        bench.awaitDrawn(large, "drawn");
        long keeper = bench.keeperPid();
        for (int round = 0; round < 10; round++) {
            TerminalScreen screen = screen(large);
            assertThat(screen.size()).isEqualTo(new TerminalSize(1000, 1000));
            assertThat(screen.lines().getFirst()).startsWith("drawnEEE");
            assertThat(screen.lines().getLast()).isEqualTo("E".repeat(1000));
        }
        bench.type(large, "\n");
        bench.awaitClosed(large);
        assertThat(screen(large).lines()).hasSize(1000);
        bench.type(other, "x\n");
        bench.awaitPrinted(other, "got x");
        bench.awaitClosed(other);
        assertThat(bench.keeperPid()).isEqualTo(keeper);
    }
}
