package dev.holdfast.runtime.line;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TypedLineTest {
    private static TypedLine typed(boolean terminal, List<String> writes) {
        TypedLine line = TypedLine.EMPTY;
        for (String write : writes) {
            line = line.with(write.getBytes(UTF_8), false, terminal);
        }
        return line;
    }

    @ParameterizedTest
    @CsvSource({
        "'rm -rf /|\n', 'rm -rf /\n'",
        "'rm| -rf| /|\r', 'rm -rf /\n'",
        "'ls\nrm -rf /|\n', 'rm -rf /\n'",
        "'a|b\nc\nd', 'ab\nc\n'",
        "'rm -rf /x|\u007f|\n', 'rm -rf /\n'",
        "'rm -rf /\u00e9|\b|\n', 'rm -rf /\n'",
        "'echo no|\u0015|ls\n', 'ls\n'",
        "'echo no|\u0003|ls\n', 'ls\n'",
        "'ls no way|\u0017|\u0017|-l\n', 'ls -l\n'",
        "'s\u001b[Dl\u001bOA\n', 'ls\n'",
        "'-rf /\u0001rm \n', 'rm -rf /\n'",
        "'rm -rf /\u0015\u0019\n', 'rm -rf /\n'",
        "'rm -rf /x\u0002\u000b\n', 'rm -rf /\n'",
        "'rm -rf /x\u001b[D|\u001b[3~\n', 'rm -rf /\n'",
        "'rm -rf /\u000f', 'rm -rf /\n'",
        "'rm -rf /\u0004', 'rm -rf /\n'",
        "'rm -\u0004rf /|\n', 'rm -rf /\n'",
        "'\u001b[200~rm -rf /\u001b[201~|\r', 'rm -rf /\n'",
        "'rm\u0000 -rf /\n', 'rm -rf /\n'",
        "'rm -rf \\\n|/\n', 'rm -rf \\\n/\n'",
        "'|\n', '\n'"
    })
    void aLineIsWhatItsKeysMakeOfItOverAnyNumberOfWrites(String writes, String completed) {
        assertThat(typed(true, List.of(writes.split("\\|", -1))).completed()).isEqualTo(completed);
    }

    @Test
    void whatIsNotCompletedIsNothingYet() {
        assertThat(typed(true, List.of("rm -rf /")).completed()).isEmpty();
    }

    @Test
    void theEndOfInputCompletesTheLastLine() {
        assertThat(TypedLine.EMPTY.with("ls".getBytes(UTF_8), true, true).completed())
                .isEqualTo("ls\n");
        assertThat(TypedLine.EMPTY.with(new byte[0], true, true).completed()).isEmpty();
    }

    @Test
    void aLineWithoutEndIsHeldInBoundedMemory() {
        TypedLine line = TypedLine.EMPTY;
        for (int i = 0; i < 40; i++) {
            line = line.with("x".repeat(10_000).getBytes(UTF_8), false, true);
        }
        assertThat(line.with(new byte[] {'\n'}, false, true).completed()).hasSizeLessThan(103_000);
    }

    /** A shell that reads a pipe has no keys: what would be taken back in a terminal is run. */
    @Test
    void inAPipeKeysAreCharacters() {
        String line = "rm -rf / #\u0015ls\r\u007f\n";
        assertThat(typed(false, List.of(line)).completed()).isEqualTo(line);
        assertThat(typed(false, List.of("rm\u0000 -rf \\\n", "/\n")).completed())
                .isEqualTo("rm -rf \\\n/\n");
    }
}
