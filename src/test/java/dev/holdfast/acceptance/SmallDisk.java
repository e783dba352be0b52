package dev.holdfast.acceptance;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A file system in memory, seen by what is started beside it, and by tests through {@code /proc}. */
final class SmallDisk {
    private final Path folder;
    private final Process holder;

    private SmallDisk(Path folder, Process holder) {
        this.folder = folder;
        this.holder = holder;
    }

    /**
     * @param folder where it is mounted; made
     * @param kind what mount(8) is told of it
     */
    static SmallDisk mount(Path folder, String kind) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        List<String> command = new ArrayList<>(Mounts.under(folder, "mount " + kind + " none \"$0\""));
        command.addAll(List.of("sh", "-c", "echo mounted; exec cat"));
        Process holder = new ProcessBuilder(command).redirectErrorStream(true).start();
        BufferedReader said = holder.inputReader();
        String line = said.readLine();
        if (!"mounted".equals(line)) {
            throw new AssertionError("no file system at " + folder + ": " + line);
        }
        return new SmallDisk(folder, holder);
    }

    /** A command that runs its further arguments where the disk is seen. */
    List<String> beside(Path workdir) throws InterruptedException {
        return Mounts.beside(holder.pid(), workdir);
    }

    /** The folder as this process sees it. */
    Path seen() {
        return Path.of("/proc", Long.toString(holder.pid()), "root")
                .resolve(Path.of("/").relativize(folder));
    }

    /** For those that see it: as it is remounted where a disk fails, but for files that are open. */
    void readOnly(boolean on) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(beside(Path.of("/")));
        String script = on ? "mount --bind $0 $0; mount -o remount,bind,ro $0" : "umount -l $0";
        command.addAll(List.of("sh", "-ec", script, folder.toString()));
        if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
            throw new AssertionError(command + " failed");
        }
    }

    void unmount() throws IOException, InterruptedException {
        holder.getOutputStream().close();
        holder.waitFor(10, TimeUnit.SECONDS);
    }
}
