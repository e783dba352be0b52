package dev.holdfast.output;

import static dev.holdfast.output.OutputFixture.ID;
import static dev.holdfast.task.StreamName.STDOUT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.runtime.OutputStore.Slice;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScreenReplayTest {
    private static final String ENTER = "\033[?1049h";
    private static final String LEAVE = "\033[?1049l";
    private static final String CLEAR = "\033[H\033[2J";
    private static final int MOST = ScreenReplay.MOST;

    @TempDir
    Path dataDir;

    private OutputFixture task;

    @BeforeEach
    void open() {
        task = new OutputFixture(dataDir, 64 << 20);
    }

    @AfterEach
    void close() {
        task.close();
    }

    @Test
    void whatNeverClearedIsSentWhole() throws Exception {
        String all = "\033[1mbold\033[0m line\r\n日本 \033(0lqk\033(B\r\n\033[5;5Hthere";
        assertThat(printed(all)).isEqualTo(all);
        assertThat(restored("")).isEqualTo(all);
        assertThat(task.output.screen(ID).next()).isEqualTo(all.getBytes(UTF_8).length);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\033c",
                "\033[H\033[J",
                "\033[1;1H\033[0J",
                "\033[;f\033[J",
                "\033[H\033[2J\033[3J",
                "\033[2J\033[H",
                "\033[2J\033[3J\033[m\033[?25l\033[7;3H",
                CLEAR
            })
    void whatWasThereBeforeItClearedIsNot(String clear) throws Exception {
        assertThat(printed("before" + clear + "after")).isEqualTo(clear + "after");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\033[J",
                "\033[H",
                "\033[5;1H\033[J",
                "\033[Hx\033[J",
                "\033[K",
                "\033[1J",
                "\033[3J",
                LEAVE,
                "\033[2J",
                "\033[2Jx\033[H",
                "\033[2J\r\033[H",
                "\033[2J\033[B\033[H",
                "\033[2J\0338\033[H",
                "\0337\033[2J\033[H\0338",
                "\033[s\033[2J\033[H\033[u",
                ENTER,
                ENTER + "\033[2J" + LEAVE + "\033[5;1H",
                "\033[?47h\033[2J\033[?47l\033[H"
            })
    void whatLeavesSomethingOnTheScreenDoesNotClearIt(String part) throws Exception {
        String all = "before" + part + "after";
        assertThat(printed(all)).isEqualTo(all);
    }

    @Test
    void whatWasToldToTheTerminalBeforeIsToldAgain() throws Exception {
        String told =
                "\033]0;a title é\007\033[?1h\033[?2004h\033[?25l\033[?1006;1002h\033[4h\033[3 q\033[2;20r\033=\033(0\016"
                        + "\033[0;1m\033[38;5;9m";
        assertThat(printed(told + CLEAR + "drawn"))
                .isEqualTo("\033]0;a title é\007\033[4h\033[?1h\033[?1002h\033[?1006h\033[?2004h\033[?25l\033[3 q"
                        + "\033[2;20r\033=\033(0\016\033[0;1m\033[38;5;9m" + CLEAR + "drawn");
    }

    @Test
    void whatWasTakenBackIsNot() throws Exception {
        String undone = "\033[?1h\033[?1l\033[?25l\033[?25h\033[1m\033[m\033[2;20r\033[r\033=\033>\016\017";
        assertThat(printed(undone + CLEAR)).isEqualTo("\033[?1l\033[?25h\033>" + CLEAR);
        assertThat(printed("\033[?1;25l\033[31m\033[!p" + CLEAR)).isEqualTo(CLEAR);
        assertThat(printed(ENTER + "\033[?1003h\033[31m\033(0\033]2;x\007\033c" + CLEAR))
                .isEqualTo(CLEAR);
    }

    @Test
    void theScreenBehindTheOtherOneComesBack() throws Exception {
        String all = CLEAR + "a shell$ vi\r\n" + ENTER + CLEAR + "a file" + LEAVE + "$ ";
        assertThat(printed("before" + all)).isEqualTo(all);
        assertThat(restored(ENTER + CLEAR)).isEqualTo(all + ENTER + CLEAR);
    }

    @Test
    void whatIsDrawnOnceAndRedrawnInPartIsWhole() throws Exception {
        String updates = "\033[24;1Hstep".repeat(50_000);
        String all = "\033[?1000h" + ENTER + "\033[HHEADER" + updates;
        assertThat(printed("shell\r\n" + all)).isEqualTo("\033[?1000h" + ENTER + "\033[HHEADER" + updates);
    }

    @Test
    void ofMoreThanAMebibyteTheLastIsTaken() throws Exception {
        printed("shell\r\n\033[?1000h" + ENTER + "\033[HHEADER");
        String restored = restored("\033[24;1H日本".repeat(2 * MOST / 13));
        assertThat(restored).matches("\033\\[\\?1049h\033\\[\\?1000h日?本?(\033\\[24;1H日本)*+");
        assertThat(restored.getBytes(UTF_8).length).isBetween(MOST - 20, MOST + 20);
    }

    @Test
    void aBellMovesNothing() throws Exception {
        assertThat(printed("before\033[2J\007\033[Hafter")).isEqualTo("\033[2J\033[Hafter");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9})
    void anEscapeMayLieWhereverThePiecesMeet(int before) throws Exception {
        String fill = "x".repeat(256 * 1024 - before);
        assertThat(printed(fill + CLEAR + "after")).isEqualTo(CLEAR + "after");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\033[c",
                "\033[>c",
                "\033[0c",
                "\033[6n",
                "\033[?6n",
                "\033[5n",
                "\033[?1$p",
                "\033[>q",
                "\033[?u",
                "\033[?2;1;0S",
                "\033[14t",
                "\033[8;50;200t",
                "\033[x",
                "\033[i",
                "\033[1;1;1;1;5;5*y",
                "\033Z",
                "\005",
                "\007",
                "\033]11;?\007",
                "\033]10;?\033\\",
                "\033]4;1;?;2;?\033\\",
                "\033]52;c;aGVsbG8=\007",
                "\033]9;done\007",
                "\033]777;notify;a;b\007",
                "\033P$qm\033\\",
                "\033P+q544e\033\\",
                "\033_Gi=1,a=q;AAAA\033\\"
            })
    void whatATerminalWouldAnswerIsLeftOut(String question) throws Exception {
        assertThat(printed("a" + question + "b" + question)).isEqualTo("ab");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\033[>4;2m",
                "\033[>4n",
                "\033[22;0t",
                "\033[23;0t",
                "\033[3 q",
                "\033[!p",
                "\033[?1s",
                "\033[S",
                "\033[u",
                "\033[20X",
                "\033]8;;https://example.org\033\\",
                "\033]0;why?\007",
                "\033]11;#000000\007",
                "\033]133;A\007",
                "\0337",
                "\033M",
                "\033Pq#0;2;0;0;0\033\\"
            })
    void whatItDrawsByIsKept(String escape) throws Exception {
        assertThat(printed("a" + escape + "b")).isEqualTo("a" + escape + "b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\033", "\033[", "\033[6", "\033]11;?", "\033P$q", "\u00e9"})
    void whatIsUnfinishedGoesOnWithWhatFollows(String begun) throws Exception {
        byte[] bytes = ("text" + begun).getBytes(UTF_8);
        int length = bytes.length - (begun.equals("\u00e9") ? 1 : 0);
        Files.write(task.folder.output(STDOUT), java.util.Arrays.copyOf(bytes, length));
        Slice slice = task.output.screen(ID);
        assertThat(slice.bytes()).isEqualTo(java.util.Arrays.copyOf(bytes, length));
        assertThat(slice.next()).isEqualTo(length);
    }

    @Test
    void whatLiesBehindAGapIsNotDrawnOn() throws Exception {
        task.close();
        task = new OutputFixture(dataDir.resolve("small"), DiskGovernor.LEAST_BUDGET);
        task.write(STDOUT, "\033[?1h" + CLEAR + "HEADER");
        task.write(STDOUT, "0123456\n".repeat(50_000));
        task.output.govern(ID, () -> {});
        task.output.release(ID);
        String restored = restored("");
        assertThat(restored).startsWith("\033[?1h").doesNotContain("HEADER").endsWith("0123456\n");
        assertThat(restored.length()).isBetween(30_000, 70_000);
    }

    @Test
    void nothingPrintedIsNothingToRestore() throws Exception {
        assertThat(restored("")).isEmpty();
        Files.delete(task.folder.output(STDOUT));
        assertThat(task.output.screen(ID).next()).isZero();
    }

    private String printed(String text) throws Exception {
        Files.writeString(task.folder.output(STDOUT), "");
        return restored(text);
    }

    private String restored(String more) throws Exception {
        task.write(STDOUT, more);
        return new String(task.output.screen(ID).bytes(), UTF_8);
    }
}
