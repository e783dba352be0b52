package dev.holdfast.acceptance;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * File systems that only what is started under them sees: mounted in a mount namespace of its own, and for a user who is
 * not root in a user namespace too (unshare(1)). Where neither is allowed, a test that needs one fails and says so.
 */
final class Mounts {
    private Mounts() {}

    /**
     * A command that mounts, and then runs its further arguments.
     *
     * @param script shell text; {@code $0} is {@code folder}
     */
    static List<String> under(Path folder, String script) throws IOException, InterruptedException {
        List<String> argv = new ArrayList<>(namespace());
        argv.addAll(List.of("sh", "-ec", script + "; exec \"$@\"", folder.toString()));
        return argv;
    }

    private static List<String> namespace() throws IOException, InterruptedException {
        for (List<String> way : List.of(List.of("unshare", "-r", "-m", "-i"), List.of("unshare", "-m", "-i"))) {
            List<String> probe = new ArrayList<>(way);
            probe.addAll(List.of("sh", "-c", "mount -t tmpfs none /mnt"));
            Process tried = new ProcessBuilder(probe)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (tried.waitFor(10, TimeUnit.SECONDS) && tried.exitValue() == 0) {
                return way;
            }
        }
        throw new AssertionError(
                "This test needs a small file system of its own: run it as root, or where user namespaces"
                        + " are allowed (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns).");
    }
}
