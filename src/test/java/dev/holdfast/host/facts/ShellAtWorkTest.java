package dev.holdfast.host.facts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShellAtWorkTest {
    private static boolean reads(String arguments) {
        return ShellAtWork.readsCommands(List.of(arguments.split(" ")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bash",
                "-bash",
                "/bin/sh",
                "zsh -i",
                "bash --norc -i",
                "bash --rcfile /etc/x",
                "bash -o vi",
                "sh -",
                "bash /dev/stdin",
                "bash -s one two",
                "dash -s"
            })
    void whoHasNoCommandsYetReadsThem(String arguments) {
        assertThat(reads(arguments)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bash script.sh",
                "sh -c read",
                "bash -lc read",
                "bash --norc script.sh",
                "bash -o vi script.sh",
                "python3",
                "bashful",
                "sh -- script"
            })
    void whoHasThemReadsData(String arguments) {
        assertThat(reads(arguments)).isFalse();
    }
}
