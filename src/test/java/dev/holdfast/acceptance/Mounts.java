package dev.holdfast.acceptance;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * File systems that only what is started under them sees: mounted in a mount namespace of its own, and for a user who
 * is not root in a user namespace too (unshare(1)). A container may allow neither: then what needs one cannot be shown
 * there, which is said.
 */
final class Mounts {
    private static final List<Way> WAYS = List.of(
            new Way(List.of("unshare", "-m", "-i"), List.of("-m", "-i")),
            new Way(List.of("unshare", "-r", "-m", "-i"), List.of("-U", "--preserve-credentials", "-m", "-i")));

    private Mounts() {}

    /** Whether this machine lets its user mount; says so where it does not. */
    static boolean allowed() throws InterruptedException {
        for (Way way : WAYS) {
            if (way.works()) {
                return true;
            }
        }
        System.out.println(
                "Not shown here: this machine allows no file system of a test's own. Run it as root, or where"
                        + " user namespaces are allowed (sysctl user.max_user_namespaces).");
        return false;
    }

    /** How a namespace is made, and how it is entered. */
    private record Way(List<String> make, List<String> enter) {
        boolean works() throws InterruptedException {
            try {
                Process tried = new ProcessBuilder(with(make, "sh", "-c", "mount -t tmpfs none /mnt"))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
                return tried.waitFor(10, TimeUnit.SECONDS) && tried.exitValue() == 0;
            } catch (IOException notInstalled) {
                return false;
            }
        }
    }

    /**
     * A command that mounts, and then runs its further arguments.
     *
     * @param script shell text; {@code $0} is {@code folder}
     */
    static List<String> under(Path folder, String script) throws InterruptedException {
        return with(way().make, "sh", "-ec", script + "; exec \"$@\"", folder.toString());
    }

    /** A command that runs its further arguments in {@code workdir} and in the namespaces of {@code holder}. */
    static List<String> beside(long holder, Path workdir) throws InterruptedException {
        List<String> enter = new ArrayList<>(List.of("nsenter", "-t", Long.toString(holder)));
        enter.addAll(way().enter);
        return with(enter, "sh", "-ec", "cd \"$0\"; exec \"$@\"", workdir.toString());
    }

    private static Way way() throws InterruptedException {
        for (Way way : WAYS) {
            if (way.works()) {
                return way;
            }
        }
        throw new AssertionError("asked although nothing can be mounted here");
    }

    private static List<String> with(List<String> command, String... more) {
        List<String> all = new ArrayList<>(command);
        all.addAll(List.of(more));
        return all;
    }
}
