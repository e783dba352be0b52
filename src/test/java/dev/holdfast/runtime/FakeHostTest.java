package dev.holdfast.runtime;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.Invocation;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract on the fake that the use cases are tried with. */
class FakeHostTest extends CommandHostContract {
    @TempDir
    Path dataDir;

    private final Steps steps = new Steps();
    private FakeHost host;

    @BeforeEach
    void open() {
        host = new FakeHost(dataDir, steps);
    }

    @Override
    protected CommandHost host() {
        return host;
    }

    @Override
    protected CommandHost another() {
        return host;
    }

    @Override
    protected Invocation waiting() {
        return new Invocation.Program(List.of("wait"));
    }

    @Override
    protected void end(HostedCommand command, int code) {
        ((FakeCommand) command).exits(code);
    }

    @Override
    protected Launch unspawnable() {
        steps.fail("spawn", new Refusal(ErrorKind.COMMAND_SPAWN_FAILED, "fails, for the test", "none"));
        return launch(waiting(), "key");
    }

    @Override
    protected Path workdir() {
        return dataDir;
    }
}
