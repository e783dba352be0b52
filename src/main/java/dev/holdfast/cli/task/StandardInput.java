package dev.holdfast.cli.task;

import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.server.Refused;
import dev.holdfast.cli.terminal.Page;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;

/** Our standard input, passed on to a task until it ends. */
public record StandardInput(Api api, String id) {
    private static final int CHUNK = 64 * 1024;

    /** Begins on a thread of its own, which nobody waits for. */
    public void begin() {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                pass();
            } catch (Refused over) {
                if (!over.is("task_not_running") && !over.is("input_not_accepted")) {
                    Page.note("the input is lost: " + over.getMessage());
                }
            } catch (IOException away) {
                Page.note("the input is lost: " + away.getMessage());
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void pass() throws IOException, InterruptedException {
        try (var in = new FileInputStream(FileDescriptor.in)) {
            byte[] bytes = new byte[CHUNK];
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                whole(Arrays.copyOf(bytes, count));
            }
        }
        send(Map.of("eof", true));
    }

    /** A program that reads slowly takes it in parts. */
    private void whole(byte[] bytes) throws IOException, InterruptedException {
        int at = 0;
        while (at < bytes.length) {
            String rest = Base64.getEncoder().encodeToString(Arrays.copyOfRange(bytes, at, bytes.length));
            try {
                send(Map.of("base64", rest));
                return;
            } catch (Refused full) {
                if (!full.is("input_not_consumed")) {
                    throw full;
                }
                at += full.problem().at("/details/bytes_written").asInt(0);
            }
        }
    }

    /** Once more only where nothing can have arrived. */
    private void send(Map<String, ?> input) throws IOException, InterruptedException {
        api.reached("/v1/tasks/" + id + "/input", input);
    }
}
