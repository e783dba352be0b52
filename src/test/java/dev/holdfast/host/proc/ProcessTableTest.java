package dev.holdfast.host.proc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.host.StartedTask;
import dev.holdfast.task.ProcessIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessTableTest {
    private static final String REST = " S 11 12 13 34816 14 4194304 1 2 3 4 50 60 7 8 20 0 3 0 169002 3133440 414"
            + " 18446744073709551615 1 2 3 4 5 0 0 0 0 0 0 0 17 0 0 0 0 0 0 7 8 9 10 11 140725820875 12 0\n";

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"cat", "a b", ") (", "1 (sd-pam) S 0 1", "", ")", "((", "tab\there"})
    void readsANameOfAnyCharacters(String name) {
        ProcessStat stat = parse("4242 (" + name + ")" + REST);
        assertThat(stat)
                .isEqualTo(new ProcessStat(
                        4242, 4242, name, 'S', 11, 12, 13, 34816, 14, 110, 3, 169002, 414, 140725820875L));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "17", "17 (cat", "17 (cat)", "17 (cat) ", "17 (cat) S 1 2 3", "17 cat) S"})
    void takesNothingFromALineThatIsCut(String line) {
        assertThat(parse(line)).isNull();
    }

    @Test
    void findsARealProcessOfAnOddNameByItsIdentityAlone() throws IOException {
        Path odd = Files.copy(Path.of("/bin/sleep"), folder.resolve("x) S (1 2"));
        Process process = new ProcessBuilder(odd.toString(), "300").start();
        try {
            await().until(() -> StartedTask.stat(process.pid()).name().equals("x) S (1 2"));
            ProcessTable table = ProcessTable.read();
            ProcessStat seen = Objects.requireNonNull(table.get(process.pid()));
            assertThat(seen.parent()).isEqualTo(ProcessHandle.current().pid());
            assertThat(table.find(seen.identity())).isEqualTo(seen);
            assertThat(table.find(new ProcessIdentity(seen.pid(), seen.startTicks() + 1)))
                    .isNull();
            assertThat(ProcessTable.alive(seen.identity())).isTrue();
        } finally {
            process.destroyForcibly().onExit().join();
        }
        assertThat(ProcessTable.stat(process.pid())).isNull();
    }

    private static @Nullable ProcessStat parse(String line) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        return ProcessStat.parse(bytes, bytes.length);
    }
}
