package dev.holdfast.host;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.host.facts.CommandFacts;
import dev.holdfast.host.stop.StopLoop;
import dev.holdfast.runtime.CommandHostContract;
import dev.holdfast.runtime.RuntimeFixture;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.Invocation;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract on real processes. */
class FolderCommandHostTest extends CommandHostContract {
    @TempDir
    Path folder;

    private HostFixture fixture;
    private FolderCommandHost host;

    @BeforeEach
    void open() throws Exception {
        fixture = new HostFixture(folder);
        host = opened();
    }

    @AfterEach
    void close() {
        host.close();
        fixture.close();
    }

    private FolderCommandHost opened() {
        return new FolderCommandHost(
                RuntimeFixture.config(fixture.data, fixture.workdir),
                fixture.events,
                new StopLoop(fixture.lineage),
                new CommandFacts(fixture.lineage, InstantSource.system()),
                HostFixture.NO_TERMINALS,
                fixture.lineage);
    }

    @Override
    protected CommandHost host() {
        return host;
    }

    @Override
    protected CommandHost another() {
        host.close();
        host = opened();
        return host;
    }

    @Override
    protected Invocation waiting() {
        return new Invocation.ShellText("read code; exit $code", "/bin/sh", false);
    }

    @Override
    protected void end(HostedCommand command, int code) {
        byte[] line = (code + "\n").getBytes(UTF_8);
        assertThat(command.write(line, false, Duration.ofSeconds(20))).isEqualTo(line.length);
    }

    @Override
    protected Launch unspawnable() {
        return launch(new Invocation.Program(List.of("/none/at/all")), "key");
    }

    @Override
    protected Path workdir() {
        return fixture.workdir;
    }
}
