package dev.holdfast.runtime.start;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jboss.logging.Logger;

/**
 * Approvals on disk: {@code <data>/approvals/<id>.json}, each written whole and renamed into place. One thread at a
 * time.
 */
final class ApprovalFiles {
    private static final Logger LOG = Logger.getLogger(ApprovalFiles.class);
    private static final String ENDING = ".json";
    private static final JsonMapper JSON = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .addMixIn(StartRequest.What.class, TextOrProgram.class)
            .build();

    private final Path folder;

    @JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
    @JsonSubTypes({
        @JsonSubTypes.Type(StartRequest.What.ShellText.class),
        @JsonSubTypes.Type(StartRequest.What.Program.class)
    })
    private interface TextOrProgram {}

    ApprovalFiles(Path folder) {
        this.folder = folder;
    }

    /** @throws Refusal {@code storage_full} */
    void keep(Approval approval) {
        try {
            write(approval);
        } catch (IOException failure) {
            throw new Refusal(
                    ErrorKind.STORAGE_FULL,
                    "The approval cannot be kept on disk (" + failure.getMessage() + "), so nothing was done.",
                    "Free space in the data folder, then try again.");
        }
    }

    private void write(Approval approval) throws IOException {
        byte[] json = JSON.writeValueAsBytes(approval.withoutValues());
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        Path unfinished = folder.resolve(approval.id() + ".new");
        Files.write(unfinished, json);
        Files.move(
                unfinished, file(approval.id()), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** False when its file could not be deleted, which the log says. */
    boolean forget(String id) {
        try {
            Files.deleteIfExists(file(id));
            return true;
        } catch (IOException later) {
            LOG.warnf("%s could not be forgotten: %s", id, later.getMessage());
            return false;
        }
    }

    /** All that can be read; of the others the log says why not. */
    List<Approval> all() {
        List<Approval> all = new ArrayList<>();
        for (File file : Objects.requireNonNullElse(folder.toFile().listFiles(), new File[0])) {
            if (!file.getName().endsWith(ENDING)) {
                continue;
            }
            try {
                all.add(JSON.readValue(file, Approval.class));
            } catch (JsonProcessingException damaged) {
                LOG.errorf("%s is damaged and left as it is: %s", file, damaged.getOriginalMessage());
            } catch (IOException unreadable) {
                LOG.errorf("%s cannot be read: %s", file, unreadable.getMessage());
            }
        }
        return all;
    }

    private Path file(String id) {
        return folder.resolve(id + ENDING);
    }
}
