package dev.holdfast.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.Preview;
import dev.holdfast.task.StreamName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RehearsalTest {
    @TempDir
    Path dataDir;

    @Test
    void leavesNothing() {
        assertThat(new Rehearsal(dataDir, 0).run()).isTrue();
        assertThat(dataDir).isEmptyDirectory();
    }

    @Test
    void doesAllThatIsDoneAboutAFlood() throws IOException {
        Path folder = Files.createDirectory(dataDir.resolve("rehearsal"));
        Preview shown = new Rehearsal(dataDir, 0).flood();
        assertThat(shown.truncated()).isTrue();
        assertThat(shown.stdout())
                .startsWith("plain and")
                .contains("bytes left out")
                .endsWith("\n");
        assertThat(shown.stdout()).contains("\n100 %rün 50 %\n").doesNotContain("\u001b");
        assertThat(OmittedFile.read(new TaskFolder(folder))).containsOnlyKeys(StreamName.STDOUT);
    }

    @Test
    void clearsWhatAKilledServerLeft() throws IOException {
        Path folder = Files.createDirectory(dataDir.resolve("rehearsal"));
        Files.writeString(folder.resolve("out"), "half");
        assertThat(new Rehearsal(dataDir, 0).run()).isTrue();
        assertThat(dataDir).isEmptyDirectory();
    }

    @Test
    void writesNothingWithoutRoom() throws IOException {
        Path folder = Files.createDirectory(dataDir.resolve("rehearsal"));
        Files.writeString(folder.resolve("out"), "half");
        assertThat(new Rehearsal(dataDir, Long.MAX_VALUE / 2).run()).isFalse();
        assertThat(dataDir).isEmptyDirectory();
    }

    @Test
    void isNoTroubleWhereItCannotBeDone() throws IOException {
        Files.writeString(dataDir.resolve("rehearsal"), "a file");
        assertThat(new Rehearsal(dataDir, 0).run()).isFalse();
        assertThat(dataDir.resolve("rehearsal")).hasContent("a file");
    }
}
