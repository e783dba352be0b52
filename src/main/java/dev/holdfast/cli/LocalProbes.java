package dev.holdfast.cli;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What of this machine a server needs, or makes use of. Leaves nothing behind.
 *
 * @param data the folder, which need not be there
 * @param workspace that is set; empty for none
 */
record LocalProbes(Path data, String workspace) {
    private static final long DISK_FLOOR = 256L << 20;
    private static final int TRIED_SECONDS = 10;
    /** Of a line of mountinfo, proc_pid_mountinfo(5). */
    private static final int MOUNT_POINT = 4;

    private static final int MOUNT_OPTIONS = 5;

    /** As the server makes a wall, around nothing. */
    private static final List<String> WALL = List.of(
            ("bwrap --unshare-pid --unshare-ipc --unshare-uts --unshare-net --cap-drop ALL --ro-bind / / --proc /proc"
                            + " --dev /dev true")
                    .split(" ", -1));

    List<Finding> all() throws InterruptedException {
        List<Finding> all = new ArrayList<>(List.of(jdk(), kernel(), folder(), space()));
        if (!workspace.isBlank()) {
            all.add(place());
        }
        all.addAll(List.of(keeper(), groups(), bubblewrap()));
        return all;
    }

    private Finding place() {
        return Files.isDirectory(Path.of(workspace))
                ? Finding.ok("workspace", workspace)
                : Finding.broken(
                        "workspace",
                        workspace + " is no folder: commands without a folder of their own are refused",
                        "make it, or set HOLDFAST_WORKSPACE to one that is there");
    }

    private static Finding jdk() {
        return Finding.ok("JDK", Runtime.version() + ", " + System.getProperty("java.home"));
    }

    private static Finding kernel() {
        String name = System.getProperty("os.name") + " " + System.getProperty("os.version");
        Matcher version = Pattern.compile("(\\d+)\\.(\\d+).*").matcher(System.getProperty("os.version"));
        if (!System.getProperty("os.name").equals("Linux") || !version.matches()) {
            return Finding.broken("kernel", name, "run the server on Linux, in a virtual machine for example");
        }
        int number = Integer.parseInt(version.group(1)) * 1000 + Integer.parseInt(version.group(2));
        if (number < 5_003) {
            return Finding.broken("kernel", name + " has no pidfd", "take Linux 5.3 or newer");
        }
        return number >= 6_015
                ? Finding.ok("kernel", name + ", which tells how any process ended")
                : Finding.remark(
                        "kernel",
                        name + " does not tell how a process ended that is no child: the exit of a task whose launcher"
                                + " was killed is not known",
                        "Linux 6.15 or newer does");
    }

    private Finding folder() {
        String name = "data folder";
        if (!Files.exists(data, LinkOption.NOFOLLOW_LINKS)) {
            return toBeMade(name);
        }
        try {
            String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(data));
            if (!Files.isDirectory(data)) {
                return Finding.broken(name, data + " is no folder", "set HOLDFAST_DATA_DIR to one");
            }
            if (!Files.getOwner(data).equals(Files.getOwner(Path.of("/proc/self")))) {
                String owner = Files.getOwner(data).getName();
                return Finding.broken(name, data + " belongs to " + owner, "set HOLDFAST_DATA_DIR to one of your own");
            }
            if (!mode.endsWith("------")) {
                return Finding.broken(name, data + " is open to others (" + mode + ")", "chmod 700 " + data);
            }
            return Files.isWritable(data)
                    ? Finding.ok(name, data + ", " + mode)
                    : Finding.broken(name, data + " cannot be written (" + mode + ")", "chmod 700 " + data);
        } catch (IOException e) {
            return Finding.broken(name, "cannot be looked at: " + e.getMessage(), "set HOLDFAST_DATA_DIR to another");
        }
    }

    /** Only who tries knows: root may write where there is nothing to be made, as in /proc. */
    private Finding toBeMade(String name) {
        try {
            Files.delete(Files.createTempDirectory(nearest(), ".holdfast-doctor"));
            return Finding.ok(name, data + " is not there yet: the first start makes it");
        } catch (IOException e) {
            return Finding.broken(
                    name,
                    data + " is not there, and cannot be made in " + nearest() + ": " + e.getMessage(),
                    "set HOLDFAST_DATA_DIR to a folder that can be made");
        }
    }

    /** What is there of its path. */
    private Path nearest() {
        Path there = data.toAbsolutePath();
        for (Path up = there; up != null && !Files.exists(there, LinkOption.NOFOLLOW_LINKS); up = up.getParent()) {
            there = up;
        }
        return there;
    }

    private Finding space() {
        String name = "free space";
        try {
            long free = Files.getFileStore(nearest()).getUsableSpace();
            String text = (free >> 20) + " MiB beside the data folder";
            return free >= DISK_FLOOR
                    ? Finding.ok(name, text)
                    : Finding.broken(
                            name,
                            text + ": below " + (DISK_FLOOR >> 20) + " no command is started",
                            "make room, holdfast rm forgets ended tasks; or set HOLDFAST_DISK_FLOOR");
        } catch (IOException e) {
            return Finding.remark(name, "cannot be told: " + e.getMessage(), "");
        }
    }

    /** It is there while it is needed. */
    private Finding keeper() {
        if (noexec()) {
            return Finding.broken(
                    "keeper",
                    "none can run: " + data + " is mounted noexec, and no library can be loaded from there",
                    "set HOLDFAST_DATA_DIR to a folder on another file system, or do without terminals");
        }
        Path folder = data.resolve("keeper");
        if (Files.isDirectory(folder)) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path socket :
                        files.filter(file -> file.toString().endsWith(".s")).toList()) {
                    if (answers(socket)) {
                        return Finding.ok("keeper", "one runs, and holds the terminals");
                    }
                }
            } catch (IOException e) {
                return Finding.broken("keeper", "its folder cannot be read: " + e.getMessage(), "chmod 700 " + folder);
            }
        }
        return Finding.ok("keeper", "none runs: one starts with the next terminal");
    }

    /** Of the mounts on its path the innermost counts, the last of several at one place. */
    private boolean noexec() {
        try {
            Path real = nearest().toRealPath();
            return lines(Path.of("/proc/self/mountinfo"))
                    .map(line -> line.split(" ", -1))
                    .filter(mount -> real.startsWith(mount[MOUNT_POINT]))
                    .reduce((one, next) -> next[MOUNT_POINT].length() < one[MOUNT_POINT].length() ? one : next)
                    .filter(mount ->
                            List.of(mount[MOUNT_OPTIONS].split(",", -1)).contains("noexec"))
                    .isPresent();
        } catch (IOException unknown) {
            return false;
        }
    }

    private static boolean answers(Path socket) {
        try (SocketChannel door = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return door.connect(UnixDomainSocketAddress.of(socket));
        } catch (IOException nobody) {
            return false;
        }
    }

    /** A server that has made groups writes down where; the first is made when a task lives for a moment. */
    private Finding groups() {
        boolean made = lines(data.resolve("cgroup"))
                .findFirst()
                .filter(place -> Files.isDirectory(Path.of(place)))
                .isPresent();
        if (made || places().anyMatch(Files::isWritable)) {
            return Finding.ok(
                    "cgroup", made ? "each task has a group of its own" : "each task can have a group of its own");
        }
        return Finding.remark(
                "cgroup",
                "no task has a group of its own: a stop may miss what hides from it",
                "start the server by deploy/holdfast.service (Delegate=yes), or as root");
    }

    /** Below its own group, or the topmost one that is seen here. */
    private static Stream<Path> places() {
        String own = lines(Path.of("/proc/self/cgroup"))
                .filter(line -> line.startsWith("0::/"))
                .map(line -> line.substring("0::/".length()))
                .findFirst()
                .orElse("");
        return lines(Path.of("/proc/self/mountinfo"))
                .filter(line -> line.contains(" - cgroup2 "))
                .map(line -> Path.of(line.split(" ", -1)[MOUNT_POINT]))
                .flatMap(top -> Stream.of(top.resolve(own), top));
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException none) {
            return Stream.empty();
        }
    }

    private static Finding bubblewrap() throws InterruptedException {
        String name = "bubblewrap";
        try {
            Process tried = new ProcessBuilder(WALL).redirectErrorStream(true).start();
            tried.getOutputStream().close();
            if (!tried.waitFor(TRIED_SECONDS, TimeUnit.SECONDS)) {
                tried.destroyForcibly();
                return Finding.remark(name, "does not end", "without it no command runs behind a wall (sandbox)");
            }
            String said = new String(tried.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return tried.exitValue() == 0
                    ? Finding.ok(name, "makes walls")
                    : Finding.remark(
                            name,
                            "makes no wall: " + said.lines().findFirst().orElse("exit " + tried.exitValue()),
                            "let users make namespaces: sysctl kernel.unprivileged_userns_clone=1,"
                                    + " kernel.apparmor_restrict_unprivileged_userns=0");
        } catch (IOException missing) {
            return Finding.remark(
                    name, "is not there: what asks for a wall (sandbox) is refused", "apt-get install bubblewrap");
        }
    }
}
