package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import org.junit.jupiter.api.Test;

class ToldTest {
    @Test
    void aServerElsewhereIsNotStartedHere() {
        var away = new ConnectException("nobody listens at http://box:7420");
        assertThat(Told.of(away, () -> false).words()).contains("no server: nobody", "--url");
        assertThat(Told.of(away, () -> false).words()).doesNotContain("holdfast serve");
        assertThat(Told.of(away, () -> true).words()).endsWith("Start one: holdfast serve");
        assertThat(Told.of(away, () -> true).code()).isEqualTo(69);
    }

    @Test
    void whatNobodyThoughtOfIsOneLineAndNoTrace() {
        Told told = Told.of(new ClassCastException("a is no b"), () -> true);
        assertThat(told.code()).isEqualTo(1);
        assertThat(told.words()).contains("ClassCastException: a is no b").doesNotContain("\n");
    }
}
