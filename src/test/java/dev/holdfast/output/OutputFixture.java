package dev.holdfast.output;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.re2j.Pattern;
import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.port.OutputStore.Found;
import dev.holdfast.runtime.port.OutputStore.Wanted;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A task folder with real files, and shells that write to them as commands do. */
final class OutputFixture implements AutoCloseable {
    static final TaskId ID = new TaskId("task_01JZZZZZZZZZZZZZZZZZZZZZZZ");

    final KernelEvents events = new KernelEvents();
    final Path dataDir;
    final TaskFolder folder;
    final OutputFiles output;

    OutputFixture(Path dataDir, long maxBytes) {
        this.dataDir = dataDir;
        this.folder = task(ID);
        this.output = new OutputFiles(dataDir, events, maxBytes, 0);
    }

    /** A task as it stands when its command starts: both files there, empty. */
    TaskFolder task(TaskId id) {
        TaskFolder made = TaskFolder.of(dataDir, id);
        try {
            Files.createDirectories(made.path());
            for (StreamName stream : StreamName.values()) {
                Files.createFile(made.output(stream));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return made;
    }

    void write(StreamName stream, String text) throws IOException {
        write(stream, text.getBytes(UTF_8));
    }

    void write(StreamName stream, byte[] bytes) throws IOException {
        Files.write(folder.output(stream), bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** A shell whose stdout and stderr are appended to the task's files. */
    Process shell(TaskFolder task, String script) throws IOException {
        return new ProcessBuilder("sh", "-c", script)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        task.output(StreamName.STDOUT).toFile()))
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        task.output(StreamName.STDERR).toFile()))
                .start();
    }

    Process shell(String script) throws IOException {
        return shell(folder, script);
    }

    /** Of its stdout, to which nothing will follow. */
    Found search(String pattern, int context, int max, boolean fromEnd) {
        Wanted wanted = new Wanted(Pattern.compile(pattern, Pattern.MULTILINE), context, max, fromEnd);
        return output.search(ID, StreamName.STDOUT, wanted, true, () -> false);
    }

    @Override
    public void close() {
        output.close();
        events.close();
    }
}
