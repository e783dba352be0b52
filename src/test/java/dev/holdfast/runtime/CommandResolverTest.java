package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.runtime.StartRequest.DuplicatePolicy;
import dev.holdfast.runtime.StartRequest.YieldWhen;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.OnExit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandResolverTest {
    @TempDir
    Path workspace;

    private CommandSpec resolve(@Nullable String workdir, @Nullable String shell, Map<String, String> server) {
        StartRequest request = new StartRequest(
                new StartRequest.What.ShellText("true", shell, false),
                workdir,
                null,
                false,
                DuplicatePolicy.REUSE_RUNNING,
                Duration.ZERO,
                YieldWhen.NONE,
                8000,
                Map.of("B", "1", "A", "2"),
                null,
                null,
                OnExit.LEAVE,
                Map.of());
        return new CommandResolver(workspace, server::get).resolve(request);
    }

    private String shell(@Nullable String wanted, Map<String, String> server) {
        return ((Invocation.ShellText) resolve(null, wanted, server).invocation()).shell();
    }

    @Test
    void aRelativeWorkdirStartsFromTheWorkspaceAndLinksAreFollowed() throws Exception {
        Path real = Files.createDirectories(workspace.resolve("a/b")).toRealPath();
        Files.createSymbolicLink(workspace.resolve("link"), real);
        assertThat(resolve("a/b", null, Map.of()).workdir()).isEqualTo(real);
        assertThat(resolve("link", null, Map.of()).workdir()).isEqualTo(real);
        assertThat(resolve(real.toString(), null, Map.of()).workdir()).isEqualTo(real);
        assertThat(resolve(null, null, Map.of()).workdir()).isEqualTo(workspace.toRealPath());
    }

    @Test
    void aWorkdirThatIsNoneIsRefused() throws Exception {
        Files.createFile(workspace.resolve("file"));
        for (String workdir : List.of("none", "file", "file/x", "a\0b")) {
            assertThatExceptionOfType(Refusal.class)
                    .isThrownBy(() -> resolve(workdir, null, Map.of()))
                    .satisfies(refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.WORKDIR_NOT_FOUND));
        }
    }

    @Test
    void theShellIsTheUsersWhenItIsAPosixOne() {
        Map<String, String> path = Map.of("PATH", "/usr/bin:/bin");
        assertThat(shell(null, Map.of("SHELL", "/bin/sh", "PATH", "/usr/bin:/bin")))
                .isEqualTo("/bin/sh");
        assertThat(shell(null, path)).endsWith("/bash");
        assertThat(shell(null, Map.of("SHELL", "/usr/bin/fish", "PATH", "/usr/bin:/bin")))
                .endsWith("/bash");
        assertThat(shell(null, Map.of("SHELL", "/nowhere/bash", "PATH", "/nowhere")))
                .isEqualTo("/bin/sh");
        assertThat(shell("sh", path)).endsWith("/sh");
        assertThat(shell("/bin/sh", path)).isEqualTo("/bin/sh");
    }

    @Test
    void aShellThatIsNotThereIsRefused() {
        for (String shell : List.of("no-such-shell", "/no/such/shell", "/tmp")) {
            assertThatExceptionOfType(Refusal.class)
                    .isThrownBy(() -> shell(shell, Map.of("PATH", "/usr/bin:/bin")))
                    .satisfies(refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.COMMAND_SPAWN_FAILED));
        }
    }

    @Test
    void onlyTheNamesOfTheEnvironmentAreKept() {
        assertThat(resolve(null, null, Map.of()).envKeys()).containsExactly("A", "B");
    }
}
