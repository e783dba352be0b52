package dev.holdfast.runtime.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutputReadsTest {
    @ParameterizedTest
    @CsvSource({
        "'', 0",
        "41, 0",
        "41c3, 1",
        "41c3a9, 0",
        "e2, 1",
        "e282, 2",
        "e282ac, 0",
        "f0, 1",
        "f09f, 2",
        "f09f98, 3",
        "f09f9880, 0",
        "80, 0",
        "808080, 0",
        "ff, 0",
        "41ff, 0"
    })
    void anOpenCharacterIsSeen(String hex, int open) {
        assertThat(OutputReads.openAtEnd(HexFormat.of().parseHex(hex))).isEqualTo(open);
    }
}
