package dev.holdfast.runtime;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.task.CommandAnswer.Artifact;
import dev.holdfast.task.CommandAnswer.Completed;
import dev.holdfast.task.CommandDiagnostics;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Exit;
import dev.holdfast.task.Preview;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * The answers that were given for commands that ended in their window and whose folder stays: as JSON in the folder. A
 * folder with one is no task. Thread-safe.
 */
@Singleton
public final class AnswerFiles {
    private static final Logger LOG = Logger.getLogger(AnswerFiles.class);
    private static final ObjectMapper JSON =
            JsonMapper.builder().addModule(new JavaTimeModule()).build();
    private static final ObjectReader READER = JSON.readerFor(Completed.class);
    private static final ObjectWriter WRITER = JSON.writerFor(Completed.class);

    private static final Completed ANY = new Completed(
            Ending.of(new Exit.Code(0)),
            new Preview("a line …\n".repeat(4000), null, true),
            null,
            List.of(new Artifact(Path.of("out"), StreamName.STDOUT, 1)),
            Duration.ofMillis(1500),
            new CommandDiagnostics("", 0, 0, false, false, false, 1, 1));

    private final Path dataDir;

    @Inject
    public AnswerFiles(HoldfastConfig config) {
        this.dataDir = config.dataDir();
        // A first use takes 15 ms more than the next: here, and not while somebody waits for an answer.
        var _ = json(ANY);
    }

    void write(TaskId id, Completed answer) {
        Path file = TaskFolder.of(dataDir, id).answer();
        Path draft = file.resolveSibling("answer.draft");
        try {
            Files.write(draft, json(answer));
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static byte[] json(Completed answer) {
        try {
            return WRITER.writeValueAsBytes(answer);
        } catch (JsonProcessingException never) {
            throw new UncheckedIOException(never);
        }
    }

    public boolean exists(TaskId id) {
        return Files.exists(TaskFolder.of(dataDir, id).answer());
    }

    Optional<Completed> read(TaskId id) {
        Path file = TaskFolder.of(dataDir, id).answer();
        try {
            return Optional.of(READER.readValue(Files.readAllBytes(file)));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException damaged) {
            LOG.warnf("%s cannot be read, the answer is made anew from the output: %s", file, damaged);
            return Optional.empty();
        }
    }
}
