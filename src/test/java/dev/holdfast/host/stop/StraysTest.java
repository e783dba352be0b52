package dev.holdfast.host.stop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.host.HostFixture;
import dev.holdfast.host.launch.Launcher;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.watch.Markers;
import dev.holdfast.runtime.port.HostedCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whose the session of an ended command is: its own, or that of somebody who got its number. */
@Timeout(180)
class StraysTest {
    /** Its leader tells who it is, and leaves when it is told to; the one it leaves behind shows no marker. */
    private static final String SESSION =
            "exec setsid sh -c 'cat /proc/$$/stat; %s env -i sleep 300 >&- & echo $!; read line; exit 0'";

    /** Of the line's fields, with a name without blanks. */
    private static final int START = 21;

    @TempDir
    Path folder;

    private HostFixture fixture;
    private long left;

    @BeforeEach
    void begin() throws Exception {
        fixture = new HostFixture(folder);
    }

    @AfterEach
    void close() {
        fixture.close();
        ProcessHandle.of(left).ifPresent(ProcessHandle::destroyForcibly);
    }

    @Test
    void whoBeganAfterTheEndMayBeAStranger() throws Exception {
        HostedCommand command = ended();
        Instant endedAt = Instant.now().minusSeconds(10);
        record(command, session(""));
        assertThat(fixture.host.endStrays(command.id(), endedAt, Duration.ZERO).found())
                .isEmpty();
        assertThat(ProcessHandle.of(left)).isPresent();
    }

    @Test
    void whoWasThereBeforeTheEndIsTheCommands() throws Exception {
        HostedCommand command = ended();
        record(command, session(""));
        Instant endedAt = Instant.now().plusSeconds(10);
        assertThat(fixture.host.endStrays(command.id(), endedAt, Duration.ZERO).found())
                .containsExactly(left);
        await().until(() -> ProcessHandle.of(left).isEmpty());
    }

    @Test
    void whoIsBesideOneOfTheCommandsIsTheCommands() throws Exception {
        HostedCommand command = ended();
        Instant endedAt = Instant.now().minusSeconds(10);
        String marked = Launcher.MARKER + "=" + command.id().value() + " sleep 300 >&- &";
        String leader = session(marked);
        await().until(() -> new Markers().in(ProcessTable.read()).containsKey(command.id()));
        record(command, leader);
        assertThat(fixture.host.endStrays(command.id(), endedAt, Duration.ZERO).found())
                .contains(left)
                .hasSize(2);
    }

    @Test
    void whoIsInTheGroupIsEndedThoughNoLookFindsHim() throws Exception {
        Path other = Files.createDirectory(folder.resolve("other"));
        GroupOfFiles group = new GroupOfFiles(other);
        try (HostFixture files = new HostFixture(other)) {
            HostedCommand command = files.sh("exit 0");
            HostFixture.end(command);
            group.live(command.id());
            var swept = CompletableFuture.supplyAsync(
                    () -> files.host.endStrays(command.id(), Instant.now(), Duration.ZERO));
            group.killedAgainAndAgain();
            group.empty();
            assertThat(swept.get(60, TimeUnit.SECONDS).survivors()).isEmpty();
        }
    }

    private HostedCommand ended() throws Exception {
        HostedCommand command = fixture.sh("exit 0");
        HostFixture.end(command);
        return command;
    }

    /** @return the line of {@code /proc/[pid]/stat} of its leader, which has gone */
    private String session(String also) throws Exception {
        Process leader = new ProcessBuilder("sh", "-c", SESSION.formatted(also)).start();
        String stat = leader.inputReader().readLine();
        left = Long.parseLong(leader.inputReader().readLine());
        await().until(() -> ProcessHandle.of(left)
                .flatMap(process -> process.info().command())
                .orElse("")
                .endsWith("/sleep"));
        leader.outputWriter().close();
        assertThat(leader.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return stat;
    }

    /** As if the command's launcher had had this pid, ten seconds before. */
    private void record(HostedCommand command, String leader) throws Exception {
        String[] fields = leader.split(" ", -1);
        fields[START] = Long.toString(Long.parseLong(fields[START]) - 1000);
        Files.writeString(fixture.folder(command).pid(), String.join(" ", fields) + "\n");
    }
}
