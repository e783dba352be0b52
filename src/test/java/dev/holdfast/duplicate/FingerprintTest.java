package dev.holdfast.duplicate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.PlainCommand;
import dev.holdfast.task.Sandbox;
import dev.holdfast.task.TerminalSize;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FingerprintTest {
    private static final Invocation LS = new Invocation.ShellText("ls -l", "/bin/bash", true);

    private final Fingerprint fingerprint =
            new Fingerprint("a secret of 32 bytes for a test.".getBytes(StandardCharsets.UTF_8));

    private static CommandSpec spec(
            Invocation invocation, String workdir, @Nullable TerminalSize terminal, boolean input) {
        return PlainCommand.of(invocation, Path.of(workdir), terminal, input);
    }

    private static CommandSpec owned(String owner) {
        return new CommandSpec(
                LS, Path.of("/tmp"), null, false, List.of(), null, null, OnExit.LEAVE, Map.of(), null, owner);
    }

    private String of(Invocation invocation) {
        return fingerprint.of(spec(invocation, "/tmp", null, false), Map.of());
    }

    @Test
    void everythingThatCountsChangesIt() {
        Map<String, @Nullable String> unset = new HashMap<>();
        unset.put("A", null);
        CommandSpec plain = spec(LS, "/tmp", null, false);
        List<String> all = Stream.of(
                        of(LS),
                        of(new Invocation.ShellText("ls  -l", "/bin/bash", true)),
                        of(new Invocation.ShellText("ls -l", "/bin/sh", true)),
                        of(new Invocation.ShellText("ls -l", "/bin/bash", false)),
                        of(new Invocation.Program(List.of("ls -l"))),
                        of(new Invocation.Program(List.of("ls", "-l"))),
                        of(new Invocation.Program(List.of("ls", "", "-l"))),
                        fingerprint.of(spec(LS, "/", null, false), Map.of()),
                        fingerprint.of(spec(LS, "/tmp", TerminalSize.DEFAULT, false), Map.of()),
                        fingerprint.of(spec(LS, "/tmp", null, true), Map.of()),
                        fingerprint.of(owned("ci"), Map.of()),
                        fingerprint.of(owned("CI"), Map.of()),
                        fingerprint.of(plain, Map.of("A", "1")),
                        fingerprint.of(plain, Map.of("A", "2")),
                        fingerprint.of(plain, Map.of("A", "")),
                        fingerprint.of(plain, unset),
                        fingerprint.of(plain, Map.of("A1", "")))
                .toList();
        assertThat(all).doesNotHaveDuplicates().allMatch(text -> text.matches("[0-9a-f]{64}"));
    }

    /** Of what a server before walls has started, and this one finds running. */
    @Test
    void withoutAWallItIsWhatItEverWas() {
        assertThat(of(LS)).isEqualTo("120321b4a854248803bc87d5caa17df049568f31e3fa9f8be0eb7738ecdf215b");
    }

    @Test
    void wallAndNetworkCount() {
        CommandSpec plain = spec(LS, "/tmp", null, false);
        assertThat(Stream.of("read_only", "read_only+network", "workspace_write", "workspace_write+network")
                        .map(wall -> fingerprint.of(plain.withSandbox(Sandbox.parse(wall)), Map.of())))
                .doesNotHaveDuplicates()
                .doesNotContain(of(LS));
    }

    @Test
    void whatDoesNotCountDoesNot() {
        CommandSpec other = new CommandSpec(
                LS,
                Path.of("/tmp"),
                new TerminalSize(1, 1),
                false,
                List.of("A"),
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                OnExit.STOP,
                Map.of("a", "b"),
                null,
                null);
        assertThat(fingerprint.of(other, Map.of()))
                .isEqualTo(fingerprint.of(spec(LS, "/tmp", TerminalSize.DEFAULT, false), Map.of()));
    }

    @Test
    void anotherSecretGivesAnotherText() {
        Fingerprint other = new Fingerprint(new byte[32]);
        assertThat(other.of(spec(LS, "/tmp", null, false), Map.of())).isNotEqualTo(of(LS));
    }
}
