package dev.holdfast.message.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ViewTest {
    @ParameterizedTest
    @CsvSource({
        "2026-01-02T03:04:05Z, 2026-01-02T03:04:05.000Z",
        "2026-01-02T03:04:05.1Z, 2026-01-02T03:04:05.100Z",
        "2026-01-02T03:04:05.123999999Z, 2026-01-02T03:04:05.123Z"
    })
    void timesHaveExactlyMilliseconds(String time, String shown) {
        assertThat(Json.time(Instant.parse(time))).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource({
        "'', JSON",
        "'*/*', JSON",
        "'application/json', JSON",
        "'text/plain', TEXT",
        "'Text/Plain; charset=utf-8', TEXT",
        "'text/plain, application/json', TEXT",
        "'application/json, text/plain', JSON",
        "'application/json;q=0.5, text/plain', TEXT",
        "'text/plain;q=0.5, application/json', JSON",
        "'text/plain;q=0', JSON",
        "'text/html, text/plain;q=0.1', TEXT",
        "'application/octet-stream', JSON"
    })
    void textIsForThoseWhoNameIt(String accept, Accept form) {
        assertThat(Accept.of(accept, Accept.TEXT)).isEqualTo(form);
    }

    @Test
    void nothingIsAskedWithoutAHeader() {
        assertThat(Accept.of(null, Accept.TEXT)).isEqualTo(Accept.JSON);
        assertThat(Accept.of("application/octet-stream", Accept.BYTES)).isEqualTo(Accept.BYTES);
    }
}
