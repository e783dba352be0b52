package dev.holdfast.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.Resident;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The command with pipes: the packaged one as somebody's process, or its classes in one that runs many. */
final class Cli {
    static final String SCRIPT = PackagedServer.jar()
            .resolveSibling("../holdfast/bin/holdfast")
            .normalize()
            .toString();

    /** By the data folder of their server, with which they are killed. */
    private static final Map<Path, Process> RESIDENTS = new ConcurrentHashMap<>();

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

    /** In a process of its own, as everybody has it. */
    Ran once(String... words) throws Exception {
        Process process = begin(words);
        process.getOutputStream().close();
        return finish(process);
    }

    /** In one process with others of the same server: the same but for the script, and what a process begins with. */
    Ran run(String... words) throws Exception {
        Process process = RESIDENTS.computeIfAbsent(server.data(), _ -> resident());
        process.outputWriter(UTF_8).append(Json.write(words)).append('\n').flush();
        var err = CompletableFuture.supplyAsync(() -> untilNul(process.getErrorStream()));
        byte[] out = untilNul(process.getInputStream());
        int exit = Integer.parseInt(new String(untilNul(process.getInputStream()), UTF_8));
        return new Ran(exit, out, new String(err.get(), UTF_8));
    }

    private Process resident() {
        try {
            return server.command(List.of())
                    .command(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-Dholdfast.script=" + SCRIPT,
                            "-Dhttp.keepAlive=false", // the server may be another one by the next command
                            "-cp",
                            System.getProperty("java.class.path"),
                            Resident.class.getName())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] untilNul(InputStream in) {
        try {
            var read = new ByteArrayOutputStream();
            for (int next = in.read(); next != 0; next = in.read()) {
                assertThat(next).as(read.toString(UTF_8)).isPositive();
                read.write(next);
            }
            return read.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
