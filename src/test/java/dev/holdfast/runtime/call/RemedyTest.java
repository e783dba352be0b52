package dev.holdfast.runtime.call;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** As the JDK says it, and as this program does. */
class RemedyTest {
    @ParameterizedTest
    @CsvSource({
        "/data/x: Too many open files, LimitNOFILE",
        "open: too many open files, LimitNOFILE",
        "open: the machine has too many open files, LimitNOFILE",
        "java.io.IOException: File too large, LimitFSIZE",
        "write: larger than a file may be (ulimit -f), LimitFSIZE",
        "java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory, TasksMax",
        "/data/x: No space left on device, Make room.",
        "write: no space left, Make room."
    })
    void namesWhatHelps(String reason, String remedy) {
        assertThat(Remedy.of(reason, "Make room.")).contains(remedy);
    }
}
