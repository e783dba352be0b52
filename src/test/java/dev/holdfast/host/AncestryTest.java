package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.task.ProcessIdentity;
import java.nio.file.Path;
import java.util.List;
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

    private static List<ProcessIdentity> known(Ancestry ancestry, StartedTask task) {
        long moment = ancestry.moment();
        return ancestry.in(ProcessTable.read(), moment).getOrDefault(task.process.id(), List.of()).stream()
                .map(ProcessStat::identity)
                .toList();
    }
}
