package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.runtime.HostedCommand;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.Exit;
import dev.holdfast.task.StreamName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpareFoldersTest {
    private HostFixture fixture;

    @BeforeEach
    void open(@TempDir Path folder) throws IOException {
        fixture = new HostFixture(folder);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private List<Path> spares() throws IOException {
        try (var entries = Files.list(fixture.data.resolve("spare"))) {
            return entries.toList();
        }
    }

    private TaskFolder folder(HostedCommand command) {
        return TaskFolder.of(fixture.data, command.id());
    }

    private static Object inode(Path path) throws IOException {
        return Files.getAttribute(path, "unix:ino");
    }

    @Test
    void aFolderIsUsedAgainAndKeepsNothingOfTheCommandBefore() throws Exception {
        HostedCommand first = fixture.sh("echo out; echo err >&2; kill -KILL $$");
        assertThat(HostFixture.end(first)).isEqualTo(new Exit.Signalled("SIGKILL"));
        Object inode = inode(folder(first).path());
        fixture.host.forget(first.id());
        assertThat(fixture.host.folder(first.id())).isEmpty();
        assertThat(spares()).hasSize(1);
        try (var files = Files.list(spares().getFirst())) {
            assertThat(files.filter(file -> !file.endsWith("rc")))
                    .allSatisfy(file -> assertThat(file).isEmptyFile());
        }

        HostedCommand second = fixture.sh("echo again; sleep 60");

        assertThat(inode(folder(second).path())).isEqualTo(inode);
        assertThat(spares()).isEmpty();
        await().until(() -> Files.size(folder(second).output(StreamName.STDOUT)) > 0);
        assertThat(folder(second).output(StreamName.STDOUT)).hasContent("again");
        assertThat(folder(second).output(StreamName.STDERR)).isEmptyFile();
        assertThat(folder(second).exit()).hasContent(" ".repeat(64));
        assertThat(SpecFile.read(folder(second).spec()).launch().id()).isEqualTo(second.id());
        assertThat(second.exit()).isNotDone();
    }

    @Test
    void aCommandInASpareFolderEndsAsAnyOther() throws Exception {
        for (int code = 0; code < 40; code++) {
            HostedCommand command = fixture.sh("echo " + code + "; exit " + code);
            assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(code));
            assertThat(folder(command).output(StreamName.STDOUT)).hasContent(Integer.toString(code));
            fixture.host.forget(command.id());
        }
        assertThat(spares()).hasSize(1);
    }

    @Test
    void whatIsStillWrittenBelongsToItsWriter() throws Exception {
        HostedCommand command = fixture.sh("sleep 60 &");
        HostFixture.end(command);
        fixture.host.forget(command.id());
        assertThat(spares()).isEmpty();
        assertThat(folder(command).path()).doesNotExist();
    }

    @Test
    void aFolderWithAnythingElseIsDeleted() throws Exception {
        HostedCommand withInput = fixture.shWithInput("true");
        HostFixture.end(withInput);
        fixture.host.forget(withInput.id());
        HostedCommand withGap = fixture.sh("true");
        HostFixture.end(withGap);
        Files.writeString(folder(withGap).omitted(), "stdout 1 2\n");
        fixture.host.forget(withGap.id());
        assertThat(spares()).isEmpty();
        assertThat(fixture.data.resolve("tasks")).isEmptyDirectory();
    }

    @Test
    void noMoreAreKeptThanAreUsed() throws Exception {
        List<HostedCommand> many = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            many.add(fixture.sh("true"));
        }
        for (HostedCommand command : many) {
            HostFixture.end(command);
        }
        many.forEach(command -> fixture.host.forget(command.id()));
        assertThat(spares()).hasSize(16);
        assertThat(fixture.data.resolve("tasks")).isEmptyDirectory();
    }

    @Test
    void aStartDeletesWhatAnotherServerKept() throws Exception {
        HostedCommand before = fixture.sh("true");
        HostFixture.end(before);
        fixture.host.forget(before.id());
        assertThat(spares()).hasSize(1);

        fixture.another();

        assertThat(spares()).isEmpty();
        // The one that kept it does without.
        assertThat(HostFixture.end(fixture.sh("exit 7"))).isEqualTo(new Exit.Code(7));
    }
}
