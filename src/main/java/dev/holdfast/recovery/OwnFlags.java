package dev.holdfast.recovery;

import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.Exec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The flags of the JVM that this server runs best with. A jar cannot ask for them, so the server begins once more in the
 * same process, as {@code java <flags> -jar ...}. Who gives the JVM an option of his own, other than {@code -D}, has
 * chosen, and gets what he asked for.
 *
 * <p>The server mostly waits, and what it does is spread over much code that is run a few hundred times: the second
 * compiler and a large young generation cost more than they bring, and the first one should begin early (decision 0014).
 * Room for classes and compiled code is reserved, not used: with less of it the whole heap is collected each time some of it
 * was taken, while every command's caller waits.
 */
final class OwnFlags {
    static final List<String> FLAGS = List.of(
            "-XX:+IgnoreUnrecognizedVMOptions",
            "-XX:TieredStopAtLevel=1",
            "-XX:Tier0InvokeNotifyFreqLog=3",
            "-XX:Tier3InvocationThreshold=8",
            "-XX:Tier3MinInvocationThreshold=4",
            "-XX:Tier3CompileThreshold=100",
            "-XX:Tier0BackedgeNotifyFreqLog=7",
            "-XX:Tier3BackEdgeThreshold=2000",
            "-XX:+UseSerialGC",
            "-Xmn16m",
            "-XX:MetaspaceSize=128m",
            "-XX:ReservedCodeCacheSize=240m");

    private static final String JAR = "quarkus-run.jar";
    private static final List<String> OPTIONS = List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS");

    private OwnFlags() {}

    /** Begins once more with the flags when they are missing; returns when they are not, or are not wanted. */
    static void use() {
        boolean chosen = OPTIONS.stream().anyMatch(name -> System.getenv(name) != null);
        if (!chosen && isHotSpot()) {
            commandLine().flatMap(OwnFlags::added).ifPresent(OwnFlags::again);
        }
    }

    private static boolean isHotSpot() {
        return System.getProperty("java.vm.name", "").contains("Server VM");
    }

    /** The command line with the flags; empty for one that is not to be changed. */
    static Optional<List<String>> added(List<String> commandLine) {
        int jar = commandLine.indexOf("-jar") + 1;
        boolean packaged = jar > 1
                && jar < commandLine.size()
                && JAR.equals(String.valueOf(Path.of(commandLine.get(jar)).getFileName()));
        if (!packaged || !commandLine.subList(1, jar - 1).stream().allMatch(option -> option.startsWith("-D"))) {
            return Optional.empty();
        }
        List<String> added = new ArrayList<>(commandLine);
        added.addAll(1, FLAGS);
        return Optional.of(added);
    }

    /** As it was given, argument files and the like included; empty where it cannot be read. */
    private static Optional<List<String>> commandLine() {
        try {
            String line = Files.readString(Path.of("/proc/self/cmdline"), StandardCharsets.UTF_8);
            return Optional.of(Stream.of(line.split("\0")).toList());
        } catch (IOException unreadable) {
            return Optional.empty(); // then it runs as it is
        }
    }

    private static void again(List<String> commandLine) {
        try {
            Exec.replace(Path.of("/proc/self/exe").toRealPath(), commandLine);
        } catch (IOException | ErrnoException failure) {
            System.err.println(
                    "Holdfast runs with the flags of the JVM that it was given, for it could not begin again: "
                            + failure.getMessage());
        }
    }
}
