package dev.holdfast.host.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.host.Python;
import dev.holdfast.host.StartedTask;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.TaskId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class LineageTest {
    private final Lineage lineage = new Lineage();

    @TempDir
    Path folder;

    @Test
    void setsTheLauncherAndItsHolderApart() {
        try (StartedTask task = StartedTask.withInput(folder, "bash", "-c", "sleep 300; :")) {
            TaskTree tree = await().until(
                            () -> lineage.look(task.process),
                            seen -> names(seen).equals(List.of("bash", "sleep")));
            assertThat(tree.launcher()).extracting(ProcessStat::identity).isEqualTo(task.launcher());
            assertThat(tree.command()).isIn(tree.processes());
            assertThat(tree.processes().getFirst().identity()).isEqualTo(task.command());
            assertThat(tree.holders()).hasSize(1);
        }
    }

    /** One in the midst of an exec shows no arguments, and may be becoming what makes the wall. */
    @Test
    void whoShowsNoArgumentsIsNotYetTheCommand() {
        String hides = """
                import ctypes, os, struct, sys
                stat = open('/proc/self/stat').read().rsplit(')', 1)[1].split()
                fields = [int(stat[n - 3]) for n in (26, 27, 45, 46, 47, 28, 48, 48, 50, 51)]
                libc = ctypes.CDLL(None)
                libc.sbrk.restype = ctypes.c_void_p
                fields.insert(5, libc.sbrk(0))
                map = struct.pack('11QQIi', *fields, 0, 0, -1)
                assert libc.prctl(35, 14, map, len(map), 0) == 0
                open('hidden', 'w')
                open('go').read()
                os.execv('/bin/sleep', ['sleep', '300'])
                """;
        try (StartedTask task =
                StartedTask.of(folder, "sh", "-c", "mkfifo go; exec " + Python.PATH + " -c \"$0\"", hides)) {
            task.awaitFile("hidden");
            CommandProcesses processes =
                    new CommandProcesses(new TaskFolder(folder.resolve("task")), task.launcher(), null);

            assertThat(processes.command()).isNull();
            task.write("go", "");
            await().until(() -> task.command().equals(processes.command()));
        }
    }

    private static List<String> names(TaskTree tree) {
        return tree.processes().stream().map(ProcessStat::name).toList();
    }

    @Test
    void knowsAHolderWhoseLauncherIsGone() {
        try (StartedTask task = StartedTask.withInput(folder, "sleep", "300")) {
            await().until(() -> lineage.look(task.process).holders().size() == 1);
            task.signal(task.launcher(), "KILL");
            await().until(() -> lineage.look(task.process).launcher() == null);
            TaskTree tree = await().until(
                            () -> lineage.look(task.process),
                            seen -> names(seen).equals(List.of("sleep")));
            assertThat(tree.holders()).hasSize(1);
        }
    }

    /** It may be about to begin, and who is complete is not looked at again. */
    @Test
    void aTaskWithoutAProcessIsNotComplete() {
        TaskProcess begins =
                new TaskProcess(new TaskId("task_01JZZZZZZZZZZZZZZZZZZZZZZZ"), 0, null, null, null, null, List.of());

        assertThat(new Lineage(folder).observe(List.of(begins))).isEmpty();
    }

    @Test
    void oneTasksProcessesAreNotAnothers() throws Exception {
        Path other = Files.createDirectory(folder.resolve("other"));
        try (StartedTask one = StartedTask.of(folder, "sleep", "300");
                StartedTask two = StartedTask.of(other, "sleep", "300")) {
            lineage.observe(List.of(one.process, two.process));
            assertThat(lineage.look(one.process).processes())
                    .extracting(ProcessStat::identity)
                    .containsExactly(one.process.command());
            assertThat(lineage.look(two.process).processes())
                    .extracting(ProcessStat::identity)
                    .containsExactly(two.process.command());
        }
    }

    @Test
    void aSessionOfALaterLeaderIsNotItsOwn() {
        try (StartedTask task = StartedTask.of(folder, "sleep", "300")) {
            ProcessIdentity now = task.launcher();
            TaskProcess stale = new TaskProcess(
                    new TaskId("task_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
                    task.process.session(),
                    new ProcessIdentity(now.pid(), now.startTicks() - 1),
                    null,
                    null,
                    null,
                    List.of());
            assertThat(lineage.look(stale).all()).isEmpty();
        }
    }

    @Test
    void forgetsATaskThatEndedAndLeftNothing() {
        TaskProcess ended;
        try (StartedTask task = StartedTask.of(folder, "sleep", "300")) {
            ended = task.process;
            lineage.observe(List.of(ended));
            lineage.keep(Set.of());
            assertThat(lineage.remembers(ended.id())).as("it has processes").isTrue();
        }
        lineage.keep(Set.of());
        assertThat(lineage.remembers(ended.id())).isFalse();
    }
}
