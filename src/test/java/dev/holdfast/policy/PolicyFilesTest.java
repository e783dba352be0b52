package dev.holdfast.policy;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.file.WatchedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
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

    private void aMomentLater() {
        clock.addAndGet(Duration.ofMillis(100).toNanos());
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
        assertThat(mode(files)).isEqualTo(Mode.PLAN);
        aMomentLater();
        assertThat(loggedBy(() -> assertThat(files.rules()).isEmpty()))
                .containsExactly("Policy " + file + " was removed, and nothing in it holds any more");
        aSecondLater();
        assertThat(loggedBy(() -> assertThat(files.rules()).isEmpty())).isEmpty();
    }

    /** As editors do it that rename the old one, or remove it, and write another. */
    @Test
    void oneThatIsReplacedAtTheMomentOfALookHoldsOn() throws IOException {
        write(PLAN);
        PolicyFiles files = files(true);
        for (String next : List.of(PLAN, OPEN)) {
            Files.delete(file);
            aSecondLater();
            assertThat(mode(files)).isEqualTo(Mode.PLAN);
            write(next);
            aMomentLater();
            assertThat(mode(files)).isEqualTo(next.equals(OPEN) ? Mode.OPEN : Mode.PLAN);
        }
    }

    /** What was denied an hour ago is not allowed once more to who asks beside the first. */
    @Test
    void whoAsksWhileItIsReadIsToldWhatItSays() throws Exception {
        var reads = new CompletableFuture<Void>();
        var goesOn = new CompletableFuture<Void>();
        WatchedFile.Reader<String> slow = (_, text) -> {
            if (text.equals("new")) {
                reads.complete(null);
                goesOn.join();
            }
            return text;
        };
        write("old");
        var watched = new WatchedFile<>(
                file, new WatchedFile.Kind<>("Policy", "", "", "", slow, (_, why) -> why), false, clock::get);
        write("new");
        Files.setLastModifiedTime(file, FileTime.fromMillis(1));
        aSecondLater();
        Thread.startVirtualThread(watched::now);
        reads.get(20, SECONDS);
        var told = new CompletableFuture<String>();

        Thread beside = Thread.ofPlatform().start(() -> told.complete(watched.now()));

        await().until(() -> told.isDone() || beside.getState() == Thread.State.BLOCKED);
        goesOn.complete(null);
        assertThat(told.get(20, SECONDS)).isEqualTo("new");
    }

    private static List<String> loggedBy(Runnable action) {
        List<String> lines = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(String.format(line.getMessage(), line.getParameters()));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(WatchedFile.class.getName());
        logger.addHandler(handler);
        action.run();
        logger.removeHandler(handler);
        return lines;
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
        PolicyFiles files = files(true);
        assertThat(why(files)).contains("everybody may write it. Run chmod o-w on it");
        Files.delete(file);
        aSecondLater();
        assertThat(files.rules()).isEmpty();
        Files.createDirectory(file);
        assertThat(why(files(true))).contains("it is no file");
        Files.delete(file);
        Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 'a'});
        assertThat(why(files(true))).contains("it is no UTF-8");
    }

    /** As when what it leads to is not mounted: nobody removed it. */
    @Test
    void aLinkToWhatIsGoneKeepsTheOldRules() throws IOException {
        Path target = folder.resolve("elsewhere.yaml");
        Files.writeString(target, PLAN);
        Files.createSymbolicLink(file, target);
        PolicyFiles files = files(true);
        Files.delete(target);
        aSecondLater();
        assertThat(mode(files)).isEqualTo(Mode.PLAN);
        assertThat(files.flaws().get(file.toString())).contains("a link to a file that is not there");
        assertThat(why(files(true))).contains("a link to a file that is not there");
        Files.writeString(target, OPEN);
        aSecondLater();
        assertThat(mode(files)).isEqualTo(Mode.OPEN);
    }

    @Test
    void oneThatCannotBeReachedIsRefused() throws IOException {
        Files.createSymbolicLink(file, file);
        assertThat(why(files(true))).contains("it cannot be read");
    }
}
