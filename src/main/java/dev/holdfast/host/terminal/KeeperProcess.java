package dev.holdfast.host.terminal;

import dev.holdfast.keeper.message.Protocol;
import dev.holdfast.kernel.Autogroup;
import dev.holdfast.kernel.Descriptor;
import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.kernel.Pidfd;
import dev.holdfast.kernel.Processes;
import dev.holdfast.kernel.Spawn;
import dev.holdfast.kernel.WaitStatus;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Starts keepers: each in a session of its own, so that it outlives this server, with none of the server's secrets.
 *
 * @param folder the keepers', {@code <data>/keeper}
 */
record KeeperProcess(Path folder, Duration idle, KernelEvents events) {
    private static final long LOG_MAX = 1024 * 1024;
    /**
     * A small heap, one compiler that begins early (decision 0023), no files in /tmp; signals keep their meaning for
     * what it starts.
     */
    private static final List<String> FLAGS = List.of(
            "-Xms6m",
            "-Xmn3m",
            "-Xmx48m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:Tier0InvokeNotifyFreqLog=3",
            "-XX:Tier3InvocationThreshold=8",
            "-XX:Tier3MinInvocationThreshold=4",
            "-XX:Tier3CompileThreshold=100",
            "-XX:ReservedCodeCacheSize=16m",
            "-XX:-UsePerfData",
            "-Xrs",
            "-Xshare:auto",
            "-Dslf4j.internal.verbosity=ERROR",
            "-Djna.nosys=true",
            "--enable-native-access=ALL-UNNAMED");

    /**
     * Returns when the process exists; it serves a moment later, unless another one of its version does.
     *
     * @param installation what it runs from, see {@link KeeperInstallation}
     * @return how it ended, once it has
     */
    CompletableFuture<WaitStatus> start(Path installation) throws IOException {
        Path log = log();
        boolean tooLong = Files.exists(log) && Files.size(log) > LOG_MAX;
        int writing = Descriptor.WRITE | Descriptor.CREATE | (tooLong ? Descriptor.TRUNCATE : Descriptor.APPEND);
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        try {
            long pid = new Spawn()
                    .open(0, Path.of("/dev/null"), Descriptor.READ, 0)
                    .open(1, log, writing, 0600)
                    .open(2, log, Descriptor.WRITE | Descriptor.APPEND, 0600)
                    .workdir(folder)
                    .start(java, argv(java, installation), environment());
            Autogroup.prefer(pid);
            return end(pid);
        } catch (ErrnoException failed) {
            throw new IOException("the keeper cannot be started: " + failed.getMessage(), failed);
        }
    }

    private CompletableFuture<WaitStatus> end(long pid) {
        CompletableFuture<WaitStatus> end = new CompletableFuture<>();
        Pidfd.open(pid).ifPresent(process -> {
            try (process) {
                events.onExit(process, () -> Processes.reap(pid).ifPresent(end::complete));
            }
        });
        return end;
    }

    Path log() {
        return folder.resolve(Protocol.LOG);
    }

    /** The last line of the log. */
    String lastWords() throws IOException {
        String all = new String(Files.readAllBytes(log()), StandardCharsets.UTF_8);
        return all.strip().lines().reduce("", (_, last) -> last);
    }

    private List<String> argv(Path java, Path installation) throws IOException {
        List<String> argv = new ArrayList<>();
        argv.add(java.toString());
        argv.addAll(FLAGS);
        argv.add("-XX:ErrorFile=" + folder.resolve("crash-%p.log"));
        for (String temporary : List.of("java.io.tmpdir", "jna.tmpdir", "pty4j.tmpdir")) {
            argv.add("-D" + temporary + "=" + installation.resolve("native"));
        }
        argv.add("-cp"); // from where it is started: a colon in a path would end it
        argv.add(KeeperInstallation.classpath(installation).stream()
                .map(jar -> folder.relativize(jar).toString())
                .collect(Collectors.joining(File.pathSeparator)));
        argv.add("dev.holdfast.keeper.Keeper");
        argv.add(folder.toString());
        argv.add(installation.toString());
        argv.add(Long.toString(idle.toMillis()));
        return argv;
    }

    private static Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>();
        for (String name : List.of("PATH", "HOME", "LANG")) {
            String value = System.getenv(name);
            if (value != null) {
                environment.put(name, value);
            }
        }
        environment.put("LC_ALL", "C.UTF-8"); // paths are UTF-8, whatever the locale
        return environment;
    }
}
