package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a server holds of the machine, as {@code /proc}, its data folder and jcmd(1) tell.
 *
 * @param counts by what is counted: its descriptors by kind, inotify watches, threads, task folders, FIFOs in them, and
 *     descriptors and threads of its keeper
 * @param heapKib in use after a full collection
 */
record ServerUsage(Map<String, Long> counts, long heapKib) {
    private static final Pattern OUTPUT_WATCHES =
            Pattern.compile("(?m)^holdfast_output_watches(?:\\{.*})? ([0-9.E]+)$");
    private static final Pattern USED = Pattern.compile("total .*used (\\d+)K");

    static ServerUsage of(PackagedServer server) throws IOException, InterruptedException {
        long heapKib = heapKib(server.pid()); // first: the tool's own visit is no use of the server's
        return new ServerUsage(counts(server), heapKib);
    }

    /** Without the heap, a look at which starts two processes. */
    static Map<String, Long> counts(PackagedServer server) {
        Map<String, Long> counts = new TreeMap<>();
        descriptors(server.pid()).stream()
                .filter(target -> !target.endsWith(".jar")) // opened when a class of it is first needed, and kept
                .forEach(target -> counts.merge("fd " + kind(target), 1L, Long::sum));
        counts.put("inotify watches", watches(server.pid()));
        counts.put("threads", (long) threads(server.pid()).size());
        List<Path> folders = Folders.children(server.data().resolve("tasks"));
        counts.put("folders", (long) folders.size());
        counts.put(
                "fifos",
                folders.stream()
                        .flatMap(folder -> Folders.children(folder).stream())
                        .filter(file -> file.endsWith("in") || file.endsWith("eof"))
                        .count());
        for (long keeper : Processes.running("dev.holdfast.keeper.Keeper " + server.data())) {
            counts.merge("keeper's fds", (long) descriptors(keeper).size(), Long::sum);
            counts.merge("keeper's threads", (long) threads(keeper).size(), Long::sum);
        }
        return counts;
    }

    static List<String> threads(long pid) {
        return Folders.children(Path.of("/proc/" + pid + "/task")).stream()
                .map(task -> text(task.resolve("comm")).strip())
                .sorted()
                .toList();
    }

    /** How often it has called read(2) and its like (proc_pid_io(5)). */
    static long reads(long pid) {
        return text(Path.of("/proc/" + pid + "/io"))
                .lines()
                .filter(line -> line.startsWith("syscr: "))
                .mapToLong(line -> Long.parseLong(line.substring("syscr: ".length())))
                .sum();
    }

    private static List<String> descriptors(long pid) {
        return Folders.children(Path.of("/proc/" + pid + "/fd")).stream()
                .flatMap(ServerUsage::target)
                .toList();
    }

    private static Stream<String> target(Path descriptor) {
        try {
            return Stream.of(Files.readSymbolicLink(descriptor).toString());
        } catch (IOException closedMeanwhile) {
            return Stream.empty();
        }
    }

    /** {@code socket:[4711]} and the like without their numbers; files are one kind. */
    private static String kind(String target) {
        return target.startsWith("/") ? "file" : target.replaceAll(":\\[\\d+]", "");
    }

    /**
     * Callers who wait for output, or follow it, by its own count: the kernel counts a file once, whoever watches it.
     */
    static int outputWatches(Calls http) {
        MatchResult found = OUTPUT_WATCHES
                .matcher(http.get("/q/metrics").hasStatus(200).body())
                .results()
                .findFirst()
                .orElseThrow();
        return (int) Double.parseDouble(found.group(1));
    }

    /** How many files it watches by inotify(7). */
    private static long watches(long pid) {
        return Folders.children(Path.of("/proc/" + pid + "/fdinfo")).stream()
                .flatMap(info -> text(info).lines())
                .filter(line -> line.startsWith("inotify wd:"))
                .count();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException closedMeanwhile) {
            return "";
        }
    }

    /** How many objects of that class are in use. */
    static long objects(PackagedServer server, String type) throws IOException, InterruptedException {
        return Pattern.compile("(?m)^ *\\d+: +(\\d+) .* " + Pattern.quote(type) + "(?: .*)?$")
                .matcher(jcmd(server.pid(), "GC.class_histogram"))
                .results()
                .mapToLong(found -> Long.parseLong(found.group(1)))
                .sum();
    }

    private static long heapKib(long pid) throws IOException, InterruptedException {
        jcmd(pid, "GC.run");
        List<MatchResult> generations =
                USED.matcher(jcmd(pid, "GC.heap_info")).results().toList();
        assertThat(generations).isNotEmpty();
        return generations.stream()
                .mapToLong(used -> Long.parseLong(used.group(1)))
                .sum();
    }

    private static String jcmd(long pid, String command) throws IOException, InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process process = new ProcessBuilder(jcmd.toString(), Long.toString(pid), command)
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
