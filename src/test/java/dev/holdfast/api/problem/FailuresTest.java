package dev.holdfast.api.problem;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FailuresTest {
    @Test
    void whatNobodyForesawShowsOnlyAReference() {
        Problem problem = Failures.problem(new IllegalStateException("the secret inside"));

        assertThat(problem.status()).isEqualTo(500);
        assertThat(problem.kind()).isEqualTo("internal");
        assertThat(problem.details().get("reference")).asString().matches("err_[0-9a-f]{12}");
        assertThat(new String(problem.json(), StandardCharsets.UTF_8))
                .doesNotContain("secret", "IllegalState", "\\tat ");
    }

    /** As input is refused whose pipe cannot be opened. */
    @Test
    void whatHadNoDescriptorIsToldWithWhatHelps() {
        Problem problem = Failures.problem(
                new UncheckedIOException("opening failed", new FileSystemException("in", null, "Too many open files")));

        assertThat(problem.kind()).isEqualTo("internal");
        assertThat(new String(problem.json(), StandardCharsets.UTF_8)).contains("ulimit -Hn", "err_");
    }

    @ParameterizedTest
    @EnumSource(ErrorKind.class)
    void everyKindHasItsStatus(ErrorKind kind) {
        Problem problem = Failures.problem(new Refusal(kind, "No.", "Do.", Map.of("key", 5)));

        assertThat(problem.status()).isEqualTo(kind.httpStatus());
        assertThat(problem.retryable()).isEqualTo(kind.retryable());
        assertThat(problem.details()).isEqualTo(Map.of("key", 5));
        assertThat(problem.headers().containsKey("Retry-After")).isEqualTo(kind == ErrorKind.CAPACITY_EXHAUSTED);
        assertThat(problem.headers().containsKey("WWW-Authenticate")).isEqualTo(kind == ErrorKind.UNAUTHORIZED);
    }
}
