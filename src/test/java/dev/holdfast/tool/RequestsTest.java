package dev.holdfast.tool;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.tool.Requests.Limits;
import dev.holdfast.tool.Requests.Shell;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RequestsTest {
    @Test
    void whatIsWrongWithATextIsToldByTheNameThatItsCallerHasForIt() {
        Limits limits = Limits.endedAfter(Duration.ofSeconds(1), 100);
        assertThatThrownBy(() -> Requests.shell("command", "x".repeat(102_401), Shell.bash(), limits))
                .hasMessage("`command` must be at most 102400 bytes, it has 102401");
        assertThatThrownBy(() -> Requests.shell("command", " ", Shell.bash(), limits))
                .hasMessage("`command` must not be blank");
        assertThatThrownBy(() -> Requests.shell("command", null, Shell.bash(), limits))
                .hasMessage("`command` is missing");
    }
}
