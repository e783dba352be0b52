package dev.holdfast.task;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SandboxTest {
    private static @Nullable Sandbox parse(@Nullable String text) {
        return text == null ? null : Sandbox.parse(text);
    }

    @ParameterizedTest
    @CsvSource({
        ",,",
        "read_only,,read_only",
        ",workspace_write+network,workspace_write+network",
        "read_only,workspace_write,read_only",
        "workspace_write,read_only+network,read_only",
        "workspace_write+network,read_only+network,read_only+network",
        "workspace_write+network,workspace_write,workspace_write",
    })
    void theStricterLetsThroughWhatBothDo(@Nullable String one, @Nullable String other, @Nullable String stricter) {
        assertThat(Sandbox.stricter(parse(one), parse(other))).isEqualTo(parse(stricter));
        assertThat(Sandbox.stricter(parse(other), parse(one))).isEqualTo(parse(stricter));
    }

    @ParameterizedTest
    @CsvSource({"read_only", "workspace_write", "read_only+network", "workspace_write+network"})
    void isReadAsItIsWritten(String text) {
        assertThat(Sandbox.parse(text)).hasToString(text);
    }
}
