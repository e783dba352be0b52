package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.task.Attachment;
import dev.holdfast.cli.task.Follow;
import dev.holdfast.cli.task.Words;
import dev.holdfast.cli.terminal.DetachKey;
import dev.holdfast.cli.terminal.Failure;
import dev.holdfast.cli.terminal.OurTerminal;
import dev.holdfast.cli.terminal.Page;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows a task's terminal in ours, and types into it. */
@Command(
        name = "attach",
        description = "Shows a task's terminal in ours, and types into it, until ctrl-] is pressed or it ends.")
final class AttachCommand extends Remote {
    @Option(
            names = "--detach-key",
            paramLabel = "KEY",
            defaultValue = DetachKey.USUAL,
            converter = DetachKey.Converter.class,
            description = "leaves it, and it runs on; ${DEFAULT-VALUE} else")
    @SuppressWarnings("NullAway.Init")
    DetachKey leave;

    @Parameters(paramLabel = "ID")
    String beginning = "";

    @Override
    int run() throws IOException, InterruptedException {
        refuse(json(), "a terminal is no JSON: holdfast --json screen is");
        String id = id(beginning);
        JsonNode task = task(id);
        if (!task.at("/command/tty").asBoolean()) {
            throw new Failure(id + " has no terminal\nholdfast logs -f follows what it prints, holdfast send types.");
        }
        if (!Words.runs(task)) {
            throw new Failure(
                    id + " has ended\nholdfast screen shows what was on its terminal, holdfast logs all of it.");
        }
        boolean left = shown(api, id, leave);
        Page.note(left ? id + " runs on: holdfast attach comes back" : id + " " + Words.status(task(id)));
        return 0;
    }

    /**
     * The screen painted in ours, until the end.
     *
     * @return whether somebody left, so that it runs on
     */
    static boolean shown(Api api, String id, DetachKey leave) throws IOException, InterruptedException {
        OurTerminal.Size size = OurTerminal.checked();
        try (OurTerminal ours = OurTerminal.take()) {
            ours.clear(size);
            return awaited(new Attachment(api, id, ours, leave, true).begin());
        }
    }

    /** Whether somebody left before it had printed all. */
    static CompletableFuture<Boolean> printed(Attachment typed, Follow output) {
        var first = new CompletableFuture<Boolean>();
        var _ = typed.begin().whenComplete((left, failed) -> {
            if (failed != null) {
                first.completeExceptionally(failed);
            } else if (left) {
                first.complete(true);
            }
        });
        Thread.ofVirtual().start(() -> {
            try {
                output.both(true, true, 0, 0);
                first.complete(false);
            } catch (IOException | RuntimeException failed) {
                first.completeExceptionally(failed);
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
        return first;
    }

    static <T> T awaited(CompletableFuture<T> future) throws IOException, InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException failed) {
            throw Failure.unwrapped(failed);
        }
    }
}
