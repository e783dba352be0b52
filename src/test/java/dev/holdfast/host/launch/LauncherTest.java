package dev.holdfast.host.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.task.Invocation;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LauncherTest {
    /** Only shells that know it: to fish and csh the end of options would be the text. */
    @ParameterizedTest
    @CsvSource({
        "/bin/bash, -x, true",
        "/usr/bin/zsh, +x, true",
        "/bin/sh, --, true",
        "/bin/bash, echo -x, false",
        "/usr/bin/fish, -x, false",
        "/bin/tcsh, -x, false"
    })
    void textThatLooksLikeAnOptionIsBehindTheEndOfOptionsAndIsKnownAgain(String shell, String text, boolean behind) {
        for (boolean login : List.of(true, false)) {
            var given = new Invocation.ShellText(text, shell, login);
            List<String> argv = Launcher.command(given);
            assertThat(argv.contains("--")).isEqualTo(behind);
            assertThat(argv).startsWith(shell, login ? "-lc" : "-c").endsWith(text);
            assertThat(Launcher.given(argv)).isEqualTo(given);
        }
    }
}
