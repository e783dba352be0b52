package dev.holdfast.host.stop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.acceptance.Processes;
import dev.holdfast.host.Python;
import dev.holdfast.host.StartedTask;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.watch.Lineage;
import dev.holdfast.host.watch.TaskProcess;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.TaskId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class StopLoopTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(300);

    private final Lineage lineage = new Lineage();
    private final StopLoop stops = new StopLoop(lineage);
    private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();

    @TempDir(cleanup = CleanupMode.ALWAYS)
    Path folder;

    @AfterEach
    void end() {
        callers.shutdownNow();
    }

    @Test
    void endsWhatObeysAtOnceAndLetsTheLauncherRecordTheExit() {
        try (StartedTask task = StartedTask.of(folder, "sleep", "300")) {
            long began = System.nanoTime();
            assertThat(stops.stop(task.process, LONG)).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(LONG.dividedBy(2));
            assertThat(task.exit()).isEqualTo("exit 143");
            assertGone(task.command(), task.launcher());
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            setsid and double fork   | setsid sh -c '(sleep 300 & echo $! >escaped)'; exec sleep 300
            env -i in the background | (env -i sleep 300 & echo $! >escaped); exec sleep 300
            its own process group    | set -m; sleep 300 & echo $! >escaped; wait
            deaf to TERM             | (trap '' TERM; exec sleep 300) & echo $! >escaped; exec sleep 300
            """)
    void findsWhatLeft(String name, String script) {
        try (StartedTask task = StartedTask.of(folder, "bash", "-c", script)) {
            ProcessIdentity escaped = task.pidIn("escaped");
            assertThat(stops.stop(task.process, SHORT)).as(name).isEmpty();
            assertGone(escaped, task.command(), task.launcher());
        }
    }

    @Test
    void findsWhatLeftSessionParentAndEnvironmentWhenItWasSeenBefore() {
        String script =
                "(env -i setsid sleep 300 & echo $! >escaped; until [ -e go ]; do sleep 0.2; done); exec sleep 300";
        try (StartedTask task = StartedTask.of(folder, "bash", "-c", script)) {
            ProcessIdentity escaped = task.pidIn("escaped");
            awaitOwnSession(escaped);
            lineage.observe(List.of(task.process));
            task.write("go", "");
            awaitOrphan(escaped, task);
            assertThat(stops.stop(task.process, SHORT)).isEmpty();
            assertGone(escaped, task.launcher());
        }
    }

    @Test
    void killsWhatIgnoresTermAfterTheGraceAndNotBefore() {
        try (StartedTask task =
                StartedTask.of(folder, "bash", "-c", "trap '' TERM; touch deaf; while :; do sleep 0.2; done")) {
            task.awaitFile("deaf");
            long began = System.nanoTime();
            assertThat(stops.stop(task.process, SHORT)).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(SHORT, LONG);
            assertThat(task.exit()).isEqualTo("exit 137");
        }
    }

    /** The server dies within the grace, and the next one goes on. */
    @Test
    void asksOnceHoweverManyServersGoOnWithIt() {
        String script = "trap 'echo asked >>asked' TERM; touch ready; while :; do sleep 0.2; done";
        try (StartedTask task = StartedTask.of(folder, "bash", "-c", script)) {
            task.awaitFile("ready");
            Path mark = folder.resolve("mark");
            var first = callers.submit(() -> stops.stop(task.process, LONG, mark));
            await().until(() -> Files.exists(mark));
            task.awaitFile("asked");
            assertThat(new StopLoop(lineage).stop(task.process, SHORT, mark)).isEmpty();
            assertThat(folder.resolve("asked")).hasContent("asked");
            assertThat(first).succeedsWithin(LONG);
        }
    }

    @Test
    void leavesTheGraceToWhoCleansUp() {
        String script = "trap 'sleep 0.2; touch cleaned; exit 7' TERM; touch ready; while :; do sleep 0.2; done";
        try (StartedTask task = StartedTask.of(folder, "bash", "-c", script)) {
            task.awaitFile("ready");
            assertThat(stops.stop(task.process, LONG)).isEmpty();
            assertThat(folder.resolve("cleaned")).exists();
            assertThat(task.exit()).isEqualTo("exit 7");
        }
    }

    @Test
    void aStoppedCommandAndItsStoppedLauncherActOnTerm() {
        String script = "trap 'touch obeyed; exit 7' TERM; touch ready; while :; do sleep 0.2; done";
        try (StartedTask task = StartedTask.of(folder, "bash", "-c", script)) {
            task.awaitFile("ready");
            task.signal(task.command(), "STOP");
            task.signal(task.launcher(), "STOP");
            assertThat(stops.stop(task.process, LONG)).isEmpty();
            assertThat(folder.resolve("obeyed")).exists();
            assertThat(task.exit()).isEqualTo("exit 7");
        }
    }

    /** What makes a wall may fork between a look and the stop of its group. That it was continued ends it here. */
    @Test
    void whatAttendsACommandGoesOnThoughNoLookHadSeenIt() throws Exception {
        String wall =
                "#!/bin/sh\ntrap 'echo >end' CONT; read x <fork; (read x <end) & echo $! >born; wait; wait; exit 7\n";
        String becomes = "mkfifo fork end; read x <fork; exec ./bwrap /bin/sh -c 'trap : 1 2 3 10 12 14 15\n'";
        GroupOfFiles group = new GroupOfFiles(folder);
        Lineage looks = new Lineage(group.data());
        try (StartedTask task = StartedTask.of(folder, "sh", "-c", becomes)) {
            task.write("bwrap", wall);
            assertThat(folder.resolve("bwrap").toFile().setExecutable(true)).isTrue();
            task.awaitFile("end");
            task.write("fork", "");
            TaskProcess begins = new TaskProcess(
                    task.process.id(), task.process.session(), task.launcher(), null, null, null, List.of());
            await().until(() -> lineage.look(begins).processes().isEmpty());
            group.live(begins.id());
            group.empty();
            group.holdKills();
            var stopped = callers.submit(() -> new StopLoop(looks).stop(begins, LONG));
            await().until(() -> looks.remembers(begins.id()));
            task.write("fork", "");
            task.pidIn("born");
            group.killed();
            assertThat(stopped).succeedsWithin(LONG).isEqualTo(List.of());
            assertThat(task.exit()).isEqualTo("exit 7");
        }
    }

    @Test
    void aHolderOfInputIsNotWaitedFor() {
        try (StartedTask task = StartedTask.withInput(folder, "sleep", "300")) {
            long began = System.nanoTime();
            assertThat(stops.stop(task.process, LONG)).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(LONG.dividedBy(2));
            assertThat(lineage.look(task.process).all()).isEmpty();
            assertThat(task.exit()).isEqualTo("exit 143");
        }
    }

    @Test
    void aLauncherThatStaysIsKilled() {
        try (StartedTask task = StartedTask.of(folder, "sleep", "300")) {
            ProcessIdentity stubborn = task.command();
            TaskProcess target = new TaskProcess(otherId(), 0, stubborn, null, null, null, List.of());
            assertThat(stops.stop(target, LONG)).isEmpty();
            assertGone(stubborn);
        }
    }

    /** One that was held up may start its command only now; if it is for too long, it must not start it any more. */
    @ParameterizedTest
    @ValueSource(doubles = {0.5, 5.5})
    void noneOfWhatItsLauncherStartsInTheMidstOfAStopIsLeft(double late) throws Exception {
        String launches =
                "import subprocess,sys,time\ntime.sleep(" + late + ")\nchild=subprocess.Popen(['sleep','300'])\n"
                        + "open('child','w').write(f'{child.pid}\\n')\nchild.wait()";
        try (StartedTask task = StartedTask.of(folder, Python.PATH, "-c", launches)) {
            ProcessIdentity launcher = task.command();
            TaskProcess target = new TaskProcess(otherId(), 0, launcher, null, null, null, List.of());
            assertThat(stops.stop(target, LONG)).isEmpty();
            assertGone(launcher);
            Path child = folder.resolve("child");
            if (Files.exists(child)) {
                assertThat(Processes.alive(
                                Long.parseLong(Files.readString(child).strip())))
                        .isFalse();
            }
        }
    }

    @Test
    void aZombieIsNoSurvivor() {
        String parent = "import os,sys,time\npid=os.fork()\nif pid==0:\n os.setsid()\n time.sleep(300)\n"
                + "open('child','w').write(f'{pid}\\n')\ntime.sleep(300)";
        try (StartedTask outer = StartedTask.of(folder, Python.PATH, "-c", parent)) {
            ProcessIdentity child = outer.pidIn("child");
            TaskProcess unreaped = new TaskProcess(otherId(), child.pid(), child, child, null, null, List.of());
            assertThat(stops.stop(unreaped, LONG)).isEmpty();
            assertThat(ProcessTable.stat(child.pid()))
                    .as("its parent has not reaped it")
                    .extracting(ProcessStat::state)
                    .isEqualTo('Z');
        }
    }

    @Test
    void aProgramWhoseFirstThreadEndedIsNoZombie() {
        String program = "import ctypes,threading,time\nthreading.Thread(target=time.sleep,args=(300,)).start()\n"
                + "open('ready','w')\nctypes.CDLL(None).pthread_exit(None)";
        try (StartedTask task = StartedTask.of(folder, Python.PATH, "-c", program)) {
            ProcessIdentity command = task.command();
            await().until(() -> StartedTask.stat(command.pid()).state() == 'Z');
            assertThat(lineage.look(task.process).command()).isNotNull();
            assertThat(stops.stop(task.process, SHORT)).isEmpty();
            assertGone(command);
        }
    }

    @Test
    void endsAShellInATerminalWithTheJobsItPutIntoOtherGroups() {
        String profile = "set -m; sleep 300 & echo $! >job; exec bash --norc -i";
        try (StartedTask task = StartedTask.inTerminal(folder, "bash", "-c", profile)) {
            ProcessIdentity job = task.pidIn("job");
            assertThat(stops.stop(task.process, SHORT)).isEmpty();
            assertGone(job, task.command(), task.launcher());
        }
    }

    @Test
    void twoStopsAreOneAndTheShorterGraceCounts() throws Exception {
        try (StartedTask task = StartedTask.of(
                folder, "bash", "-c", "trap 'echo >>asked' TERM; touch deaf; while :; do sleep 0.2; done")) {
            task.awaitFile("deaf");
            long began = System.nanoTime();
            CompletableFuture<List<Long>> first =
                    CompletableFuture.supplyAsync(() -> stops.stop(task.process, LONG), callers);
            await().during(Duration.ofMillis(200)).until(() -> !first.isDone());
            assertThat(stops.stop(task.process, Duration.ofMillis(100))).isEmpty();
            assertThat(first.get()).isEmpty();
            assertThat(task.folder.resolve("asked")).content().isEqualTo("\n");
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(LONG.dividedBy(2));
        }
    }

    @Test
    void endsWhatOutlivedItsCommand() {
        try (StartedTask task = StartedTask.of(folder, "bash", "-c", "setsid sleep 300 & echo $! >left; sleep 0.05")) {
            ProcessIdentity left = task.pidIn("left");
            await().until(() -> !ProcessTable.alive(task.launcher()));
            assertThat(ProcessTable.alive(left)).isTrue();
            assertThat(stops.stop(task.process, Duration.ZERO)).isEmpty();
            assertGone(left);
        }
    }

    /** It forks and exits within a fraction of a millisecond, so that whoever was seen is gone; 20000 times at most. */
    @Test
    void catchesAProcessThatIsAlwaysAnother() {
        String comet = """
                import os, signal
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                trail = os.open('trail', os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                for i in range(20000):
                  os.write(trail, b'.')
                  if os.fork(): os._exit(0)
                """;
        String script = Python.PATH + " -c \"$0\" & exec sleep 300";
        try (StartedTask task = StartedTask.of(folder, "bash", "-c", script, comet)) {
            task.awaitFile("trail");
            assertThat(stops.stop(task.process, Duration.ofMillis(20))).isEmpty();
            long trail = task.folder.resolve("trail").toFile().length();
            assertThat(trail).as("generations").isLessThan(20_000);
            await().during(Duration.ofMillis(300))
                    .until(() -> task.folder.resolve("trail").toFile().length() == trail);
        }
    }

    @Test
    void catchesAForkBomb() {
        String bomb = "ulimit -u %d; trap '' TERM; b() { b | b & }; b 2>/dev/null; sleep 300"
                .formatted(Python.AS_ROOT ? 400 : 4000);
        List<String> argv = new ArrayList<>(List.of("bash", "-c", bomb));
        if (Python.AS_ROOT) {
            argv.addAll(0, List.of("setpriv", "--reuid=65534", "--clear-groups"));
        }
        try (StartedTask task = StartedTask.of(folder, argv.toArray(String[]::new))) {
            await().until(() -> lineage.look(task.process).processes().size() > 50);
            assertThat(stops.stop(task.process, SHORT)).isEmpty();
            assertThat(lineage.look(task.process).all()).isEmpty();
        }
    }

    private static TaskId otherId() {
        return new TaskId("task_01ARZ3NDEKTSV4RRFFQ69G5FAV");
    }

    private static void assertGone(ProcessIdentity... processes) {
        for (ProcessIdentity process : processes) {
            assertThat(ProcessTable.alive(process)).as("%s lives", process).isFalse();
        }
    }

    private static void awaitOwnSession(ProcessIdentity process) {
        await().until(() -> StartedTask.stat(process.pid()).session() == process.pid());
    }

    private static void awaitOrphan(ProcessIdentity process, StartedTask task) {
        await().until(() -> lineage(process) != task.process.session());
    }

    private static long lineage(ProcessIdentity process) {
        return StartedTask.stat(StartedTask.stat(process.pid()).parent()).session();
    }
}
