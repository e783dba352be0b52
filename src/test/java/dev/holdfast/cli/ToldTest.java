package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.NoSuchFileException;
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
    void aDataFolderThatCannotBeMadeIsSaidToBeOne() {
        assertThat(Told.why(new NoSuchFileException("/proc/nope")))
                .isEqualTo("the data folder cannot be made or used (/proc/nope): name another in HOLDFAST_DATA_DIR");
        assertThat(Told.why(new IOException("the server did not start"))).isEqualTo("the server did not start");
    }

    @Test
    void whatNobodyThoughtOfIsOneLineAndNoTrace() {
        Told told = Told.of(new ClassCastException("a is no b"), () -> true);
        assertThat(told.code()).isEqualTo(1);
        assertThat(told.words()).contains("ClassCastException: a is no b").doesNotContain("\n");
    }
}
