package dev.holdfast.runtime;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Exit;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.PlainCommand;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What the use cases rely on of whoever runs commands. The host is empty before each test. */
public abstract class CommandHostContract {
    private static final TaskIds IDS = new TaskIds(InstantSource.system(), new Random());

    protected abstract CommandHost host();

    /** As a server that starts again on the same folders. */
    protected abstract CommandHost another();

    /** Of a command that runs until {@link #end} is called, and exits with what it is told. */
    protected abstract Invocation waiting();

    protected abstract void end(HostedCommand command, int code);

    /** The next start fails to spawn. */
    protected abstract Launch unspawnable();

    protected abstract Path workdir();

    protected final Launch launch(Invocation invocation, String key) {
        CommandSpec command = PlainCommand.of(invocation, workdir(), null, true);
        Launch.Idempotency idempotency = new Launch.Idempotency(key, "digest");
        return new Launch(IDS.next(), command, Map.of("PATH", "/usr/bin:/bin"), Instant.now(), "same", idempotency);
    }

    private HostedCommand start() {
        return host().start(launch(waiting(), "key"));
    }

    @Test
    void aCommandRunsUntilItExitsAndItsFolderSaysHow() throws Exception {
        HostedCommand command = start();
        assertThat(command.exit()).isNotDone();
        assertThat(host().ids()).containsExactly(command.id());
        assertThat(host().folder(command.id())).containsInstanceOf(CommandHost.Folder.Running.class);

        end(command, 3);

        assertThat(command.exit().get(20, SECONDS)).isEqualTo(new Exit.Code(3));
        assertThat(host().folder(command.id())).get().isInstanceOfSatisfying(CommandHost.Folder.Ended.class, ended -> {
            assertThat(ended.id()).isEqualTo(command.id());
            assertThat(ended.exit()).isEqualTo(new Exit.Code(3));
        });
        assertThat(command.endingDetails()).isEmpty();
    }

    @Test
    void whatCannotBeSpawnedLeavesNothing() {
        Launch launch = unspawnable();

        assertThatThrownBy(() -> host().start(launch)).isInstanceOf(Refusal.class);

        assertThat(host().ids()).isEmpty();
        assertThat(host().folder(launch.id())).isEmpty();
    }

    @Test
    void aStopEndsItAndASecondOneFindsNothing() throws Exception {
        HostedCommand command = start();

        assertThat(command.stop(Duration.ZERO)).isEmpty();

        assertThat(command.exit().get(20, SECONDS)).isInstanceOf(Exit.Signalled.class);
        assertThat(command.stop(Duration.ZERO)).isEmpty();
    }

    @Test
    void theKeyOfItsRequestIsWithIt() {
        HostedCommand command = start();

        assertThat(host().idempotency(command.id())).contains(new Launch.Idempotency("key", "digest"));
        end(command, 0);
    }

    @Test
    void anotherServerTakesItOver() throws Exception {
        HostedCommand command = start();
        CommandHost next = another();
        var running = (CommandHost.Folder.Running) next.folder(command.id()).orElseThrow();
        assertThat(running.launch().duplicateKey()).isEqualTo("same");

        HostedCommand adopted = next.adopt(running);
        end(adopted, 5);

        assertThat(adopted.exit().get(20, SECONDS)).isEqualTo(new Exit.Code(5));
    }

    @Test
    void whatIsForgottenIsGone() throws Exception {
        HostedCommand command = start();
        end(command, 0);
        command.exit().get(20, SECONDS);

        host().forget(command.id());

        assertThat(host().ids()).isEmpty();
        assertThat(host().folder(command.id())).isEmpty();
        assertThat(host().idempotency(command.id())).isEmpty();
    }

    @Test
    void whatWasBeingForgottenIsToldUntilAllOfItIsGone() throws Exception {
        HostedCommand command = start();
        end(command, 0);
        command.exit().get(20, SECONDS);
        var killed = new IllegalStateException("in between, for the test");
        assertThatThrownBy(() -> host().forget(command.id(), () -> {
                    throw killed;
                }))
                .isSameAs(killed);
        List<TaskId> deleted = new ArrayList<>();
        List<TaskId> rows = new ArrayList<>();

        CommandHost next = another();
        assertThat(next.ids(deleted::add)).isEmpty();
        assertThat(next.folder(command.id())).isEmpty();
        assertThat(deleted).containsExactly(command.id());
        next.forget(command.id(), () -> {
            next.ids(rows::add);
        });

        assertThat(rows).containsExactly(command.id());
        assertThat(next.ids(rows::add)).isEmpty();
        assertThat(rows).hasSize(1);
    }
}
