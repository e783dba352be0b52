package dev.holdfast.duplicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.TerminalSize;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FingerprintTest {
    private static final Sample SHELL = new Sample(
            new Invocation.ShellText("npm run dev", "/bin/bash", true), "/srv/app", false, false, Map.of("A", "1"));
    private static final Sample PROGRAM =
            new Sample(new Invocation.Program(List.of("a", "b")), "/srv/app", false, false, Map.of());

    private final Fingerprint fingerprint = new Fingerprint("sixteen bytes or".getBytes(StandardCharsets.UTF_8));

    private record Sample(
            Invocation invocation,
            String workdir,
            boolean tty,
            boolean acceptsInput,
            Map<String, @Nullable String> env) {
        Sample running(Invocation other) {
            return new Sample(other, workdir, tty, acceptsInput, env);
        }

        Sample in(String other) {
            return new Sample(invocation, other, tty, acceptsInput, env);
        }

        Sample with(boolean otherTty, boolean otherAcceptsInput) {
            return new Sample(invocation, workdir, otherTty, otherAcceptsInput, env);
        }

        Sample env(Map<String, @Nullable String> other) {
            return new Sample(invocation, workdir, tty, acceptsInput, other);
        }
    }

    static Stream<Sample> everythingElse() {
        Map<String, @Nullable String> unset = new HashMap<>();
        unset.put("A", null);
        return Stream.of(
                SHELL.running(new Invocation.ShellText("npm run dev ", "/bin/bash", true)),
                SHELL.running(new Invocation.ShellText("npm run dev", "/bin/sh", true)),
                SHELL.running(new Invocation.ShellText("npm run dev", "/bin/bash", false)),
                SHELL.running(new Invocation.Program(List.of("npm run dev"))),
                SHELL.running(new Invocation.Program(List.of("npm", "run", "dev"))),
                SHELL.running(new Invocation.Program(List.of("npm run dev", "/bin/bash"))),
                SHELL.running(new Invocation.Program(List.of("npm run", "dev"))),
                SHELL.in("/srv/app2"),
                SHELL.with(true, false),
                SHELL.with(false, true),
                SHELL.with(true, true),
                SHELL.env(Map.of()),
                SHELL.env(unset),
                SHELL.env(Map.of("A", "")),
                SHELL.env(Map.of("A", "2")),
                SHELL.env(Map.of("B", "1")),
                SHELL.env(Map.of("A1", "")),
                SHELL.env(Map.of("A", "1", "B", "")),
                PROGRAM,
                PROGRAM.running(new Invocation.Program(List.of("a b"))),
                PROGRAM.running(new Invocation.Program(List.of("a", "b", ""))),
                PROGRAM.running(new Invocation.Program(List.of("", "a", "b"))),
                PROGRAM.running(new Invocation.Program(List.of("ab"))),
                PROGRAM.running(new Invocation.Program(List.of("b", "a"))));
    }

    @ParameterizedTest
    @MethodSource("everythingElse")
    void tellsACommandFromEveryOther(Sample other) {
        assertThat(key(other)).isNotEqualTo(key(SHELL));
        assertThat(everythingElse().map(this::key)).doesNotHaveDuplicates();
    }

    @Test
    void isTheSameForTheSameCommand() {
        Map<String, @Nullable String> oneOrder = new LinkedHashMap<>();
        oneOrder.put("B", "2");
        oneOrder.put("A", "1");
        Map<String, @Nullable String> otherOrder = new LinkedHashMap<>();
        otherOrder.put("A", "1");
        otherOrder.put("B", "2");

        assertThat(key(SHELL)).isEqualTo(key(SHELL.in("/srv/app"))).matches("[0-9a-f]{64}");
        assertThat(key(SHELL.env(oneOrder))).isEqualTo(key(SHELL.env(otherOrder)));
    }

    @Test
    void doesNotLookAtWhatIsNoPartOfTheCommand() {
        CommandSpec plain = spec(SHELL);
        CommandSpec limited = new CommandSpec(
                plain.invocation(),
                plain.workdir(),
                null,
                false,
                List.of(),
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                OnExit.STOP,
                Map.of("a", "b"));

        assertThat(fingerprint.of(limited, SHELL.env())).isEqualTo(key(SHELL));
    }

    @Test
    void tellsNothingToWhoDoesNotHaveTheSecret() {
        Fingerprint elsewhere = new Fingerprint("another 16 bytes".getBytes(StandardCharsets.UTF_8));

        assertThat(elsewhere.of(spec(SHELL), SHELL.env())).isNotEqualTo(key(SHELL));
        assertThatThrownBy(() -> new Fingerprint(new byte[15])).isInstanceOf(IllegalArgumentException.class);
    }

    private String key(Sample sample) {
        return fingerprint.of(spec(sample), sample.env());
    }

    private static CommandSpec spec(Sample sample) {
        return new CommandSpec(
                sample.invocation(),
                Path.of(sample.workdir()),
                sample.tty() ? TerminalSize.DEFAULT : null,
                sample.acceptsInput(),
                List.of(),
                null,
                null,
                OnExit.LEAVE,
                Map.of());
    }
}
