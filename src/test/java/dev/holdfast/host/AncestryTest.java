package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.kernel.BootTime;
import dev.holdfast.task.ProcessIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When the kernel tells and when it does not; where it never does there is nothing to see here. */
@Timeout(60)
class AncestryTest {
    @TempDir
    Path folder;

    @Test
    void restsWhenNobodyPaysAttentionAndNothingRuns() {
        try (Ancestry ancestry = new Ancestry()) {
            assertThat(ancestry.rest(() -> false)).isFalse();
            Ancestry.Attention starting = ancestry.expect();
            Ancestry.Attention stopping = ancestry.hold();
            assertThat(ancestry.rest(() -> true)).isFalse();
            starting.close();
            assertThat(ancestry.rest(() -> true)).isFalse();
            stopping.close();
            assertThat(ancestry.rest(() -> true)).isTrue();
        }
    }

    @Test
    void whatIsBornWhileItRestsIsNotToldLater() {
        String script = "until [ -e first ]; do sleep 0.05; done; setsid sleep 300 & echo $! >one;"
                + " until [ -e second ]; do sleep 0.05; done; setsid sleep 300 & echo $! >two; wait";
        try (Ancestry ancestry = new Ancestry()) {
            Ancestry.Attention first = ancestry.expect();
            try (StartedTask task = StartedTask.of(folder, "sh", "-c", script)) {
                ancestry.launched(task.process.id(), task.launcher());
                assertThat(known(ancestry, task).contains(task.command())).isEqualTo(EscapeTest.kernelTells());
                first.close();
                assertThat(ancestry.rest(() -> true)).isTrue();
                task.write("first", "");
                ProcessIdentity one = task.pidIn("one");
                try (Ancestry.Attention _ = ancestry.expect()) {
                    ancestry.launched(task.process.id(), task.launcher());
                    ancestry.claim(
                            task.process.id(),
                            Stream.of(StartedTask.stat(task.command().pid())));
                    task.write("second", "");
                    ProcessIdentity two = task.pidIn("two");
                    List<ProcessIdentity> known = known(ancestry, task);
                    assertThat(known).doesNotContain(one);
                    assertThat(known.contains(two)).isEqualTo(EscapeTest.kernelTells());
                }
            }
        }
    }

    @Test
    void followsWhoseLauncherWasBornSinceItListensAndOthersFromALookOn() throws Exception {
        Path other = Files.createDirectory(folder.resolve("other"));
        try (Ancestry ancestry = new Ancestry();
                StartedTask older = StartedTask.of(other, "sleep", "300")) {
            awaitNextTick();
            Ancestry.Attention attention = ancestry.expect();
            awaitNextTick();
            try (attention;
                    StartedTask younger = StartedTask.of(folder, "sleep", "300")) {
                ancestry.launched(younger.process.id(), younger.launcher());
                ancestry.launched(older.process.id(), older.launcher());
                assertThat(follows(ancestry, younger)).isEqualTo(EscapeTest.kernelTells());
                assertThat(follows(ancestry, older, younger)).isFalse();
                ancestry.claim(
                        older.process.id(),
                        Stream.of(StartedTask.stat(older.command().pid())));
                assertThat(follows(ancestry, older, younger)).isEqualTo(EscapeTest.kernelTells());
            }
        }
    }

    @Test
    void followsNobodyAfterALossBeforeALook() throws Exception {
        try (Ancestry ancestry = new Ancestry();
                Ancestry.Attention _ = ancestry.expect();
                StartedTask task = StartedTask.of(folder, "sleep", "300")) {
            ancestry.launched(task.process.id(), task.launcher());
            assertThat(known(ancestry, task).contains(task.command())).isEqualTo(EscapeTest.kernelTells());
            loseBirths();
            known(ancestry, task);
            assertThat(follows(ancestry, task)).isFalse();
            ancestry.claim(
                    task.process.id(), Stream.of(StartedTask.stat(task.command().pid())));
            assertThat(follows(ancestry, task)).isEqualTo(EscapeTest.kernelTells());
        }
    }

    private static boolean follows(Ancestry ancestry, StartedTask... tasks) {
        return ancestry.follows(
                Arrays.stream(tasks).map(task -> task.process.id()).collect(Collectors.toSet()));
    }

    /** Start times count hundredths of a second: who starts after this is told apart from who started before. */
    static void awaitNextTick() {
        long tick = BootTime.nanos() / Descent.NANOS_PER_TICK;
        await().pollInterval(Duration.ofMillis(2)).until(() -> BootTime.nanos() / Descent.NANOS_PER_TICK > tick);
    }

    /** The kernel tells of threads too, and of more than its buffer holds it tells nothing. */
    private static void loseBirths() throws InterruptedException {
        for (int i = 0; i < 40_000; i++) {
            Thread.ofPlatform().start(() -> {}).join();
        }
    }

    private static List<ProcessIdentity> known(Ancestry ancestry, StartedTask task) {
        long moment = ancestry.moment();
        return ancestry.in(ProcessTable.read(), moment).getOrDefault(task.process.id(), List.of()).stream()
                .map(ProcessStat::identity)
                .toList();
    }
}
