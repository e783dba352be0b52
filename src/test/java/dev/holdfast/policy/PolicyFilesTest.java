package dev.holdfast.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.policy.actor.Mode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When policy files are read, and what becomes of one that can't be used. */
class PolicyFilesTest {
    private static final String PLAN = "version: 1\nmode: plan\n";
    private static final String OPEN = "version: 1\nmode: open\n";

    @TempDir
    Path folder;

    private final AtomicLong clock = new AtomicLong();
    private Path file = Path.of("policy.yaml");

    @BeforeEach
    void place() {
        file = folder.resolve("policy.yaml");
    }

    private PolicyFiles files(boolean optional) {
        return new PolicyFiles(List.of(file), optional, clock::get);
    }

    private void aSecondLater() {
        clock.addAndGet(Duration.ofSeconds(1).toNanos());
    }

    private void write(String text) throws IOException {
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }

    private static Mode mode(PolicyFiles files) {
        return files.rules().getFirst().mode();
    }

    private static String why(PolicyFiles files) {
        return String.valueOf(files.rules().getFirst().rules().getFirst().reason());
    }

    @Test
    void oneThatIsNotThereIsNoneOrAFlaw() throws IOException {
        PolicyFiles files = files(true);
        assertThat(files.rules()).isEmpty();
        assertThat(why(files(false))).contains("it is not there");
        write(PLAN);
        aSecondLater();
        assertThat(mode(files)).isEqualTo(Mode.PLAN);
        Files.delete(file);
        aSecondLater();
        assertThat(files.rules()).isEmpty();
    }

    @Test
    void aChangeIsSeenWithinASecondAndNotLookedForMoreOften() throws IOException {
        write(PLAN);
        PolicyFiles files = files(true);
        write(OPEN + "# longer\n");
        assertThat(mode(files)).isEqualTo(Mode.PLAN);
        aSecondLater();
        assertThat(mode(files)).isEqualTo(Mode.OPEN);
    }

    @Test
    void aBrokenOneKeepsTheOldRulesUntilItIsMended() throws IOException {
        write(PLAN);
        PolicyFiles files = files(true);
        write("version: 1\nmode: [\n");
        aSecondLater();
        assertThat(mode(files)).isEqualTo(Mode.PLAN);
        write(OPEN + "# mended\n");
        aSecondLater();
        assertThat(mode(files)).isEqualTo(Mode.OPEN);
    }

    @Test
    void aBrokenOneWithoutOldRulesDeniesAll() throws IOException {
        write("version: 1\nmood: open\n");
        PolicyFiles files = files(true);
        assertThat(files.rules().getFirst().fallback()).isEqualTo(Decision.DENY);
        assertThat(why(files)).contains("line 2: `mood` is no key");
        write(OPEN + "# longer\n"); // one of the same length in the same tick of the clock is not told apart
        aSecondLater();
        assertThat(files.rules().getFirst().rules()).isEmpty();
    }

    @Test
    void whoeverMayWriteItAndWhatIsNoFileIsRefused() throws IOException {
        write(OPEN);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(why(files(true))).contains("everybody may write it. Run chmod o-w on it");
        Files.delete(file);
        Files.createDirectory(file);
        assertThat(why(files(true))).contains("it is no file");
        Files.delete(file);
        Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 'a'});
        assertThat(why(files(true))).contains("it is no UTF-8");
    }

    @Test
    void oneThatCannotBeReachedIsRefused() throws IOException {
        Files.createSymbolicLink(file, file);
        assertThat(why(files(true))).contains("it cannot be read");
    }
}
