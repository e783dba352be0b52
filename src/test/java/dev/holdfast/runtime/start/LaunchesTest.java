package dev.holdfast.runtime.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.duplicate.Fingerprint;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.RuntimeFixture;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.start.StartRequest.DuplicatePolicy;
import dev.holdfast.runtime.start.StartRequest.YieldWhen;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.TaskIds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LaunchesTest {
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
                Map.of(),
                StartRequest.Wall.DEFAULT,
                false,
                false);
        InstantSource clock = InstantSource.system();
        HoldfastConfig config = RuntimeFixture.config(workspace);
        return new Launches(
                        config,
                        new CommandEnvironment(server, HoldfastConfig.Inherit.CORE),
                        new Fingerprint(new byte[32]),
                        new TaskIds(clock, new Random()),
                        clock)
                .command(request, Actor.OPERATOR);
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

    /** What is spawned goes by its text, and so does what is put down. */
    @Test
    void aWorkdirWhoseRealNameIsNoTextIsRefusedAsSuch() throws Exception {
        String make = "bad=$(printf 'bad\\377'); mkdir \"$bad\"; ln -s \"$bad\" link";
        new ProcessBuilder("sh", "-c", make)
                .directory(workspace.toFile())
                .start()
                .waitFor();
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> resolve("link", null, Map.of()))
                .withMessageContaining("not UTF-8")
                .satisfies(refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.WORKDIR_NOT_FOUND));
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
