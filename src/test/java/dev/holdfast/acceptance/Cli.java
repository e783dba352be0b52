package dev.holdfast.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The packaged command as somebody's process, with pipes. */
final class Cli {
    static final String SCRIPT = PackagedServer.jar()
            .resolveSibling("../holdfast/bin/holdfast")
            .normalize()
            .toString();

    private final PackagedServer server;
    private final List<Process> begun = new ArrayList<>();

    Cli(PackagedServer server) {
        this.server = server;
    }

    /** What came of it. */
    record Ran(int exit, byte[] out, String err) {
        String text() {
            return new String(out, UTF_8);
        }
    }

    Process begin(String... words) throws IOException {
        List<String> all = new ArrayList<>(List.of("env", "--default-signal=INT", SCRIPT));
        all.addAll(Arrays.asList(words));
        Process process = server.command(List.of()).command(all).start();
        begun.add(process);
        return process;
    }

    static Ran finish(Process process) throws Exception {
        var err = CompletableFuture.supplyAsync(() -> {
            try {
                return new String(process.getErrorStream().readAllBytes(), UTF_8);
            } catch (IOException e) {
                return e.toString();
            }
        });
        byte[] out = process.getInputStream().readAllBytes();
        return new Ran(process.waitFor(), out, err.get());
    }

    Ran run(String... words) throws Exception {
        Process process = begin(words);
        process.getOutputStream().close();
        return finish(process);
    }

    Ran run(List<String> last, String... first) throws Exception {
        List<String> words = new ArrayList<>(Arrays.asList(first));
        words.addAll(last);
        return run(words.toArray(String[]::new));
    }

    /** What was begun and still runs. */
    void end() {
        begun.forEach(Process::destroyForcibly);
    }
}
