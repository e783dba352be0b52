package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RemoteTest {
    /** One id in 32 ends in Z, and is the highest that begins with all of it but that. */
    @ParameterizedTest
    @CsvSource({
        "01M8FRH0HK0P13XM3M2ZAAVBM, 01M8FRH0HK0P13XM3M2ZAAVBN0",
        "01M8FRH0HK0P13XM3M2ZAAVHZ, 01M8FRH0HK0P13XM3M2ZAAVJ00",
        "0, 10000000000000000000000000",
        "0ZZ, 10000000000000000000000000",
        "7, 7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "7ZZ, 7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "'', 7ZZZZZZZZZZZZZZZZZZZZZZZZZ"
    })
    void aListBeginsAboveAllThatBeginSo(String beginning, String above) {
        assertThat(Remote.above("task_" + beginning)).isEqualTo("task_" + above);
    }
}
