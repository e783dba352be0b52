package dev.holdfast.acceptance;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What {@code /proc} says, read without the product's help. */
public final class Processes {
    private Processes() {}

    /** Whether the process is there and no zombie. */
    public static boolean alive(long pid) {
        return state(pid).filter(state -> state != 'Z' && state != 'X').isPresent();
    }

    /** The state letter of proc(5), or nothing when there is no such process. */
    public static Optional<Character> state(long pid) {
        return read(pid, "stat").map(stat -> stat.charAt(stat.lastIndexOf(')') + 2));
    }

    public static Optional<String> commandLine(long pid) {
        return read(pid, "cmdline").map(line -> line.replace('\0', ' ').strip());
    }

    /** Live processes whose environment holds the variable with that value. */
    public static List<Long> marked(String variable, String value) {
        String wanted = variable + "=" + value;
        return all().filter(Processes::alive)
                .filter(pid -> read(pid, "environ")
                        .filter(environment -> List.of(environment.split("\0")).contains(wanted))
                        .isPresent())
                .toList();
    }

    /** The live processes of each value that the variable has in their environments. */
    public static Map<String, Set<Long>> byValue(String variable) {
        Map<String, Set<Long>> found = new TreeMap<>();
        all().filter(Processes::alive)
                .forEach(pid -> read(pid, "environ").stream()
                        .flatMap(environment -> Stream.of(environment.split("\0")))
                        .filter(entry -> entry.startsWith(variable + "="))
                        .forEach(entry -> found.computeIfAbsent(
                                        entry.substring(variable.length() + 1), _ -> new TreeSet<>())
                                .add(pid)));
        return found;
    }

    /** Live processes whose command line holds {@code text}. */
    public static List<Long> running(String text) {
        return all().filter(Processes::alive)
                .filter(pid ->
                        commandLine(pid).filter(line -> line.contains(text)).isPresent())
                .toList();
    }

    public static void killMarked(String variable, String value) {
        await().atMost(Calls.PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> {
            List<Long> left = marked(variable, value);
            left.forEach(Processes::kill);
            return left.isEmpty();
        });
    }

    public static void kill(long pid) {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }

    public static void signal(String name, long pid) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
    }

    public static void awaitGone(long pid) {
        await("end of " + pid)
                .atMost(Calls.PATIENCE)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> alive(pid) ? status(pid) : "", String::isEmpty);
    }

    /** What it is, waits for, and does with signals, for whoever asks why it is still there. */
    private static String status(long pid) {
        return Stream.of("cmdline", "wchan", "status")
                .map(file -> read(pid, file).orElse("").replace('\0', ' '))
                .collect(Collectors.joining("\n"));
    }

    private static Stream<Long> all() {
        return Folders.children(Path.of("/proc")).stream()
                .map(path -> path.getFileName().toString())
                .filter(name -> name.chars().allMatch(Character::isDigit))
                .map(Long::valueOf);
    }

    private static Optional<String> read(long pid, String file) {
        try {
            byte[] bytes = Files.readAllBytes(Path.of("/proc", Long.toString(pid), file));
            return Optional.of(new String(bytes, StandardCharsets.UTF_8)).filter(text -> !text.isEmpty());
        } catch (IOException e) {
            return Optional.empty(); // it ended meanwhile, or is somebody else's
        }
    }
}
