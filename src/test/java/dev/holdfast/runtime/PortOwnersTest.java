package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.LONG;
import static dev.holdfast.runtime.RuntimeFixture.sh;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.task.CommandAnswer.Completed;
import dev.holdfast.task.PortOwner;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose the port is that a command failed for. */
class PortOwnersTest {
    private static final TaskId UNKNOWN = new TaskId("task_01JABCDEFGHJKMNPQRSTVWXYZ0");

    @TempDir
    Path dataDir;

    @AutoClose
    private RuntimeFixture runtime;

    @BeforeEach
    void open() {
        runtime = new RuntimeFixture(dataDir);
    }

    @Test
    void isTheTasksThatListensThere() throws Exception {
        runtime.start(sh("KEY_TOKEN=abc serve", Duration.ZERO)).get(20, SECONDS);
        TaskId holder = runtime.host.next().id();
        runtime.host.listeners.put(3000, new CommandHost.Listener(3000, 4711L, holder));

        assertThat(failing(1)).isEqualTo(new PortOwner(3000, holder, 4711L, "KEY_TOKEN=*** serve"));
    }

    @Test
    void isNobodyToWhomItIsAnotherOwners() throws Exception {
        runtime.start(sh("serve", Duration.ZERO)).get(20, SECONDS);
        TaskId holder = runtime.host.next().id();
        runtime.host.listeners.put(3000, new CommandHost.Listener(3000, 4711L, holder));
        runtime.actor = new Actor("alice", Role.AGENT, Map.of(), Mode.OPEN, null);

        assertThat(failing(1)).isEqualTo(new PortOwner(3000, null, null, null));
    }

    @Test
    void isNoTasksWhereThatIsAnotherServers() throws Exception {
        runtime.host.listeners.put(3000, new CommandHost.Listener(3000, 4711L, UNKNOWN));

        assertThat(failing(1)).isEqualTo(new PortOwner(3000, null, 4711L, null));
    }

    @Test
    void isNotAskedForAfterASuccess() throws Exception {
        runtime.host.listeners.put(3000, new CommandHost.Listener(3000, null, null));

        assertThat(failing(1)).isEqualTo(new PortOwner(3000, null, null, null));
        assertThat(failing(0)).isNull();
    }

    @Test
    void aLookThatFailsCostsNoAnswer() throws Exception {
        runtime.steps.fail("listener");

        assertThat(failing(3)).isNull();
    }

    private PortOwner failing(int code) throws Exception {
        var answer = runtime.start(sh("again", LONG));
        FakeCommand command = runtime.host.next();
        runtime.outputs.write(command.id(), StreamName.STDERR, "Error: listen EADDRINUSE :::3000\n");
        command.exits(code);
        Completed completed = (Completed) answer.get(20, SECONDS);
        assertThat(completed.ending().exitStatus()).isEqualTo(code);
        return PortOwner.in(completed.ending().details()).orElse(null);
    }
}
