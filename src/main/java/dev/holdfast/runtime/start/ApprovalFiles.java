package dev.holdfast.runtime.start;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.holdfast.config.OwnFiles;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.call.Remedy;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiPredicate;
import org.jboss.logging.Logger;

/**
 * Approvals on disk: {@code <data>/approvals/<id>.json}, each written whole and renamed into place. One thread at a
 * time.
 */
record ApprovalFiles(Path folder) {
    private static final Logger LOG = Logger.getLogger(ApprovalFiles.class);
    private static final String ENDING = ".json";
    private static final String UNFINISHED = ".new";
    private static final JsonMapper JSON = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .addMixIn(StartRequest.What.class, TextOrProgram.class)
            .build();

    @JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
    @JsonSubTypes({
        @JsonSubTypes.Type(StartRequest.What.ShellText.class),
        @JsonSubTypes.Type(StartRequest.What.Program.class)
    })
    private interface TextOrProgram {}

    /** @throws Refusal {@code storage_full} */
    void keep(Approval approval) {
        keep(approval, () -> {});
    }

    /** Of what has begun, and is told all the same: the next server finds it by its key. */
    void keepIfPossible(Approval approval) {
        try {
            keep(approval);
        } catch (Refusal full) {
            LOG.warnf("What became of %s is not put down: %s", approval.id(), full.getMessage());
        }
    }

    /**
     * @param tell tells of it once all of it is on disk and before it is in place; when it throws, nothing is kept
     * @throws Refusal {@code storage_full}, or what that throws
     */
    void keep(Approval approval, Runnable tell) {
        Path unfinished = folder.resolve(approval.id() + UNFINISHED);
        try {
            write(approval, unfinished);
            tell.run();
            finish(unfinished, approval);
        } catch (IOException failure) {
            drop(unfinished);
            throw new Refusal(
                    ErrorKind.STORAGE_FULL,
                    "The approval cannot be kept on disk (" + failure.getMessage() + "), so nothing was done.",
                    Remedy.of(failure.toString(), "Free space in the data folder, then try again."));
        } catch (RuntimeException untold) {
            drop(unfinished);
            throw untold;
        }
    }

    private void write(Approval approval, Path unfinished) throws IOException {
        byte[] json = JSON.writeValueAsBytes(approval.withoutValues());
        OwnFiles.folder(folder);
        Files.deleteIfExists(unfinished);
        Files.write(Files.createFile(unfinished, OwnFiles.FILE), json);
    }

    private void finish(Path unfinished, Approval approval) throws IOException {
        Files.move(
                unfinished, file(approval.id()), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void drop(Path unfinished) {
        var _ = unfinished.toFile().delete();
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

    /**
     * All that can be read; of the others the log says why not. What a former server was killed in the midst of is as
     * if it had never been, unless it was told.
     *
     * @param told whether the answer of that approval was told since that time
     */
    List<Approval> all(BiPredicate<String, Instant> told) {
        for (File unfinished : files(UNFINISHED)) {
            settle(unfinished, told);
        }
        List<Approval> all = new ArrayList<>();
        for (File file : files(ENDING)) {
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

    private void settle(File unfinished, BiPredicate<String, Instant> told) {
        try {
            Approval approval = JSON.readValue(unfinished, Approval.class);
            if (approval.outcome().decided() != null && told.test(approval.id(), approval.decidedAt())) {
                finish(unfinished.toPath(), approval);
            }
        } catch (IOException torn) {
            LOG.infof("%s was not written to its end: %s", unfinished, torn.getMessage());
        }
        drop(unfinished.toPath());
    }

    private List<File> files(String ending) {
        File[] all = folder.toFile().listFiles((_, name) -> name.endsWith(ending));
        return List.of(Objects.requireNonNullElse(all, new File[0]));
    }

    private Path file(String id) {
        return folder.resolve(id + ENDING);
    }
}
