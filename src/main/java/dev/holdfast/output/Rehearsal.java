package dev.holdfast.output;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.kernel.Blocks;
import dev.holdfast.runtime.OutputStore.Writer;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.Preview;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jboss.logging.Logger;

/**
 * A few small floods that nobody started, and what is shown of them, in a folder of their own that is deleted afterwards.
 * What the virtual machine does once only, loading classes, binding system calls, compiling, it does now, while the server
 * starts, and not in the first flood, nor while somebody waits for the first long answer.
 */
final class Rehearsal {
    private static final Logger LOG = Logger.getLogger(Rehearsal.class);
    private static final TaskId NOBODY = new TaskId("task_" + "0".repeat(26));

    /** The compiler begins with what was called eight times; a round calls most things three to five times. */
    private static final int ROUNDS = 4;

    /** Much less than a flood of a real task, and enough for all that is done about one. */
    private static final Budget BUDGET = new Budget(2 << 20);

    /** Nothing is rehearsed where so much is not free besides the floor. */
    private static final long ROOM = 64 << 20;

    private static final int MOST_CHARS = 40_000;

    private final TaskFolder folder;
    private final File disk;
    private final long floor;

    /** @param floor free bytes that it leaves alone */
    Rehearsal(Path dataDir, long floor) {
        this.folder = new TaskFolder(dataDir.resolve("rehearsal"));
        this.disk = dataDir.toFile();
        this.floor = floor;
    }

    /** @return false without room or with any trouble, which does no harm */
    boolean run() {
        try {
            clear();
            if (disk.getUsableSpace() - floor < ROOM) {
                return false;
            }
            for (int i = 0; i < ROUNDS; i++) {
                Files.createDirectory(folder.path());
                var _ = flood();
                clear();
            }
            return true;
        } catch (IOException | RuntimeException trouble) {
            LOG.debugf(trouble, "The first flood was not rehearsed");
            return false;
        }
    }

    /** @return what a caller would be shown of it */
    Preview flood() throws IOException {
        Writer writer = () -> {};
        GovernedTask task = new GovernedTask(NOBODY, folder, BUDGET, Blocks::punch, writer);
        write(1 << 20);
        task.look(bytes -> true);
        write(4 << 20);
        task.look(bytes -> true);
        write(1 << 20);
        task.release();
        task.look(bytes -> true);
        return Previews.of(folder, MOST_CHARS, true);
    }

    /** Lines of which most are plain, as most output is. */
    private void write(int bytes) throws IOException {
        byte[] lines = ("plain and plain and plain\n".repeat(40) + "\u001b[31mred\u001b[0m\tgrün 50 %\r100 %\n")
                .repeat(60)
                .getBytes(UTF_8);
        try (OutputStream out = Files.newOutputStream(
                folder.output(StreamName.STDOUT), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (int written = 0; written < bytes; written += lines.length) {
                out.write(lines);
            }
        }
    }

    /** Also what a server that was killed meanwhile has left. */
    private void clear() throws IOException {
        if (Files.isDirectory(folder.path())) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder.path())) {
                for (Path file : files) {
                    Files.delete(file);
                }
            }
            Files.delete(folder.path());
        }
    }
}
