package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Commands that live on while their server is dead and their {@code spec.json} is damaged: each keeps an owner. */
class LostRecordsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private static final Map<String, String> ENV = Map.of("E", "1");

    private final Calls http = SERVER.calls();

    private enum Damage {
        EMPTY("spec.json is empty"),
        TORN("spec.json is torn"),
        DELETED("spec.json is missing");

        final String said;

        Damage(String said) {
            this.said = said;
        }

        void to(String id) throws IOException {
            Path spec = SERVER.taskFolder(id).resolve("spec.json");
            String whole = Files.readString(spec);
            switch (this) {
                case EMPTY -> Files.writeString(spec, "");
                case TORN -> Files.writeString(spec, whole.substring(0, whole.length() / 2));
                case DELETED -> Files.delete(spec);
            }
        }
    }

    private static String waiting(String go, int status) {
        return "echo begun; while ! [ -e " + go + " ]; do sleep 0.2; done; echo more; exit " + status;
    }

    private static void go(String go) throws IOException {
        Files.createFile(SERVER.workspace().resolve(go));
    }

    /** A command in its caller's window, so without a row, that has begun; the caller is about to lose its server. */
    private String inItsWindow(String cmd) {
        String before = SERVER.newest();
        var _ = CompletableFuture.runAsync(() -> http.run(cmd, "yield_time_ms", 600_000, "labels", Map.of("a", "b")));
        String id = SERVER.awaitNewer(before);
        await().atMost(Calls.PATIENCE)
                .until(() -> Files.exists(SERVER.taskFolder(id).resolve("out"))
                        && Files.readString(SERVER.taskFolder(id).resolve("out"))
                                .contains("begun"));
        return id;
    }

    private void assertRunsOn(String id) {
        JsonNode task = http.task(id);
        assertThat(task.path("status").asText()).as(task.toString()).isEqualTo("running");
        assertThat(task.at("/process/pid").asLong()).as(task.toString()).isPositive();
    }

    private void assertEnds(String id, int status) {
        JsonNode task = http.awaitEnd(id);
        assertThat(task.path("exit_status").asInt()).as(task.toString()).isEqualTo(status);
        assertThat(task.path("ended_by").asText()).isEqualTo("exit");
    }

    /** Tasks that are told by what they take. */
    private record Tasks(String waits, String stopped, String reads, String types, String ends, JsonNode before) {
        List<String> all() {
            return List.of(waits, stopped, reads, types, ends);
        }
    }

    private Tasks tasks(Damage damage) {
        String named = " # " + damage;
        String waits =
                http.start(waiting("row", 5) + named, "labels", Map.of("a", "b"), "timeout_ms", 600_000, "env", ENV);
        var tasks = new Tasks(
                waits,
                http.start("echo begun; sleep 704"),
                http.start("echo begun; read x; echo got $x; exit 6", "accepts_input", true),
                http.start("stty -echo; echo begun; read x; echo got $x; exit 7", "tty", true),
                http.start(waiting("row", 4) + named),
                http.task(waits));
        tasks.all().forEach(id -> http.awaitOutput(id, "begun"));
        return tasks;
    }

    @TestFactory
    Stream<DynamicTest> itIsKilledAndComesBack() throws Throwable {
        return Story.over(
                SERVER,
                SERVER::kill,
                aCommandWithoutARowIsAdoptedAsItsLauncherShowsIt(),
                withoutLauncherAndRowItIsStillSomebodysAndNoExitIsInvented(),
                aCommandThatWasKilledMeanwhileHasEndedWhateverItLeft(),
                whatHasNoFolderAnyMoreIsStoppedAndSaidToBeInterrupted(),
                aTaskIsAdoptedAsItsRowHasIt());
    }

    /** Ends the server once more, so that it comes last. */
    private Story aTaskIsAdoptedAsItsRowHasIt() {
        Map<Damage, Tasks> tasks = new EnumMap<>(Damage.class);
        for (Damage damage : Damage.values()) {
            tasks.put(damage, tasks(damage));
        }
        Map<Damage, Long> pids = new EnumMap<>(Damage.class);
        tasks.forEach((damage, of) -> pids.put(damage, http.pid(of.stopped())));

        return new Story(
                "a task is adopted as its row has it",
                () -> {
                    for (Damage damage : Damage.values()) {
                        for (String id : tasks.get(damage).all()) {
                            damage.to(id);
                        }
                    }
                },
                () -> {
                    for (Damage damage : Damage.values()) {
                        assertAdopted(damage, tasks.get(damage));
                        assertThat(Processes.alive(pids.get(damage))).isFalse();
                    }
                    SERVER.kill();
                    for (Damage damage : Damage.values()) {
                        damage.to(tasks.get(damage).ends());
                    }
                    go("row");
                    for (Tasks of : tasks.values()) {
                        Path exit = SERVER.taskFolder(of.ends()).resolve("rc");
                        await().atMost(Calls.PATIENCE)
                                .until(() -> Files.readString(exit).startsWith("exit "));
                    }
                    SERVER.start();

                    for (Tasks of : tasks.values()) {
                        assertEnds(of.waits(), 5);
                        assertEnds(of.ends(), 4);
                        assertThat(http.output(of.waits())).isEqualTo("begun\nmore\n");
                    }
                });
    }

    private void assertAdopted(Damage damage, Tasks tasks) {
        assertThat(SERVER.log()).contains(tasks.waits() + ": " + damage.said).contains("adopted as its row has it");
        assertRunsOn(tasks.waits());
        assertThat(http.task(tasks.waits()).path("command"))
                .isEqualTo(tasks.before().path("command"));
        assertThat(http.task(tasks.waits()).path("labels"))
                .isEqualTo(tasks.before().path("labels"));
        http.input(tasks.reads(), "text", "one\n").hasStatus(200);
        http.input(tasks.types(), "text", "two\n").hasStatus(200);
        assertEnds(tasks.reads(), 6);
        assertEnds(tasks.types(), 7);
        assertThat(http.output(tasks.reads())).isEqualTo("begun\ngot one\n");
        assertThat(http.output(tasks.types())).contains("got two");
        http.stop(tasks.stopped(), "grace_ms", 2000).hasStatus(200);
        assertThat(http.task(tasks.stopped()).path("status").asText()).isEqualTo("cancelled");
    }

    private Story aCommandWithoutARowIsAdoptedAsItsLauncherShowsIt() {
        Map<Damage, String> waits = new EnumMap<>(Damage.class);
        Map<Damage, String> stopped = new EnumMap<>(Damage.class);
        for (Damage damage : Damage.values()) {
            waits.put(damage, inItsWindow(waiting("launcher", 3) + " # " + damage));
            stopped.put(damage, inItsWindow("echo begun; sleep 705 # " + damage));
        }

        return new Story(
                "a command without a row is adopted as its launcher shows it",
                () -> {
                    for (Damage damage : Damage.values()) {
                        damage.to(waits.get(damage));
                        damage.to(stopped.get(damage));
                    }
                },
                () -> {
                    for (Damage damage : Damage.values()) {
                        String id = waits.get(damage);
                        assertThat(SERVER.log())
                                .contains(id + ": " + damage.said)
                                .contains("without labels and limits");
                        assertRunsOn(id);
                        assertShown(http.task(id).path("command"), waiting("launcher", 3) + " # " + damage);
                        long pid = http.pid(stopped.get(damage));
                        http.stop(stopped.get(damage), "grace_ms", 2000).hasStatus(200);
                        assertThat(Processes.alive(pid)).isFalse();
                    }
                    go("launcher");
                    for (String id : waits.values()) {
                        assertEnds(id, 3);
                        assertThat(http.output(id)).isEqualTo("begun\nmore\n");
                    }
                });
    }

    private static void assertShown(JsonNode command, String cmd) {
        assertThat(command.path("cmd").asText()).isEqualTo(cmd);
        assertThat(command.path("shell").asText()).isEqualTo("/bin/bash");
        assertThat(command.path("login").asBoolean()).isFalse();
        assertThat(command.path("workdir").asText())
                .isEqualTo(SERVER.workspace().toString());
        assertThat(command.path("accepts_input").asBoolean()).isFalse();
    }

    private Story withoutLauncherAndRowItIsStillSomebodysAndNoExitIsInvented() {
        String id = inItsWindow("echo begun; exec sleep 706");

        return new Story(
                "without launcher and row it is still somebody's, and no exit is invented",
                () -> {
                    Processes.running(SERVER.taskFolder(id).toString()).forEach(Processes::kill);
                    Damage.EMPTY.to(id);
                    Files.writeString(SERVER.taskFolder(id).resolve("pid"), "");
                },
                () -> {
                    assertRunsOn(id);
                    assertThat(http.task(id).at("/command/argv/1").asText()).isEqualTo("706");
                    Processes.kill(http.pid(id));
                    assertThat(http.awaitEnd(id).path("status").asText()).isEqualTo("interrupted");
                });
    }

    /** Its group was killed, with its launcher; what is left of it is told and ended as ever. */
    private Story aCommandThatWasKilledMeanwhileHasEndedWhateverItLeft() {
        String execs = http.start("setsid sleep 708 & exec sleep 709");
        String waits = http.start("setsid sleep 708 & wait; exit 9");
        List<Long> left = List.of(execs, waits).stream().map(this::awaitLeft).toList();
        List<Long> own = List.of(http.pid(execs), http.pid(waits));

        return new Story(
                "a command that was killed meanwhile has ended, whatever it left",
                () -> {
                    for (String id : List.of(execs, waits)) {
                        Processes.running(SERVER.taskFolder(id).toString()).forEach(Processes::kill);
                    }
                    own.forEach(Processes::kill);
                    own.forEach(Processes::awaitGone);
                },
                () -> {
                    for (String id : List.of(execs, waits)) {
                        JsonNode task = http.task(id);
                        assertThat(task.path("status").asText())
                                .as(task.toString())
                                .isEqualTo("interrupted");
                        assertThat(task.path("ended_by").asText()).isEqualTo("unknown");
                        assertThat(task.path("process").isNull()).isTrue();
                    }
                    assertThat(left).allMatch(Processes::alive);
                    http.stop(execs, "grace_ms", 2000).hasStatus(200);
                    http.stop(waits, "grace_ms", 2000).hasStatus(200);
                    assertThat(left).noneMatch(Processes::alive);
                });
    }

    private long awaitLeft(String id) {
        return await().atMost(Calls.PATIENCE)
                .until(
                        () -> Processes.marked("HOLDFAST_TASK", id).stream()
                                .filter(pid ->
                                        Processes.commandLine(pid).orElse("").equals("sleep 708"))
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    private Story whatHasNoFolderAnyMoreIsStoppedAndSaidToBeInterrupted() {
        String id = http.start("trap '' TERM; echo begun; while :; do sleep 707; done");
        http.awaitOutput(id, "begun");

        return new Story(
                "what has no folder any more is stopped and said to be interrupted",
                () -> {
                    Folders.delete(SERVER.taskFolder(id));
                    assertThat(Processes.marked("HOLDFAST_TASK", id)).isNotEmpty();
                },
                () -> {
                    assertThat(Processes.marked("HOLDFAST_TASK", id)).isEmpty();
                    assertThat(http.task(id).path("status").asText()).isEqualTo("interrupted");
                    assertThat(http.task(id).path("ended_by").asText()).isEqualTo("unknown");
                    assertThat(SERVER.log()).contains(id + ": its folder is gone; its processes");
                });
    }
}
