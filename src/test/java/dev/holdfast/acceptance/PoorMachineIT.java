package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Machines that lack what others have, as in containers and where somebody has hardened them. */
@Timeout(120)
class PoorMachineIT {
    private final PackagedServer server = new PackagedServer();

    @AfterEach
    void end() throws Exception {
        server.afterAll();
    }

    /** Nothing can be written in /tmp, or nothing of it may be run. */
    @ParameterizedTest
    @ValueSource(strings = {"ro", "noexec"})
    void theServerNeedsNone(String option) throws Exception {
        if (!Mounts.allowed()) {
            return;
        }
        server.prepare();
        startUnder(Mounts.under(
                server.data().getParent(),
                "for own in \"$0\" \"" + Path.of("").toAbsolutePath() + "\"; do mount --bind \"$own\" \"$own\"; done;"
                        + "mount --rbind /tmp /tmp; mount -o remount,bind," + option + " /tmp; cd \"$0\""));

        assertThat(server.calls().run("tty", "tty", true).completed().text("/stdout_preview"))
                .contains("/dev/");
        server.calls().get("/webjars/lit-html/3.2.1/lit-html.js").hasStatus(200);
        Answer check = server.calls().post("/v1/policy/check", Json.object("cmd", "cd /; (true; rm -rf *)"));
        assertThat(check.text("/rule")).isEqualTo("builtin.rm-root");
        assertThat(server.log()).doesNotContain("WARN").doesNotContain("ERROR");
    }

    /** As homes are in places. */
    @Test
    void whereTheDataFolderTakesNoLibraryTerminalsAreRefused() throws Exception {
        if (!Mounts.allowed()) {
            return;
        }
        server.prepare();
        List<String> under = Mounts.under(
                server.data().getParent(),
                "mount --bind \"$0\" \"$0\"; mount -o remount,bind,noexec \"$0\"; cd \"$0\"");
        startUnder(under);

        assertThat(server.calls().run("true").completed().at("/exit_status").asInt(-1))
                .isZero();
        Answer refused = server.calls().post("/v1/commands", Calls.command("tty", "tty", true));
        assertThat(refused.hasStatus(422).text("/detail")).contains("must not be mounted noexec");
        List<String> doctor =
                Stream.concat(under.stream(), Stream.of(Cli.SCRIPT, "doctor")).toList();
        assertThat(Cli.finish(server.command(List.of()).command(doctor).start()).text())
                .contains("none can run: ", "is mounted noexec");
    }

    /** Nobody starts it but the container, and nobody reaps what its commands leave behind. */
    @Test
    void process1SaysWhatItLacks() throws Exception {
        if (!Mounts.allowed()) {
            return;
        }
        server.prepare();
        startUnder(List.of("unshare", "-r", "-m", "-p", "-f", "--mount-proc", "--kill-child"));

        assertThat(server.calls().run("true").completed().at("/exit_status").asInt(-1))
                .isZero();
        assertThat(server.log()).contains("process 1", "docker run --init");
    }

    /** Others of this user have used up what the kernel lets him watch, as editors and builds do. */
    @ParameterizedTest
    @ValueSource(strings = {"instances", "watches"})
    void outputIsToldAlsoWhereNothingCanBeWatched(String what) throws Exception {
        if (!Mounts.allowed()) {
            return;
        }
        server.prepare();
        String none = "echo 0 > /proc/sys/user/max_inotify_" + what + "; exec \"$0\" \"$@\"";
        startUnder(List.of("unshare", "-r", "sh", "-c", none));
        Calls calls = server.calls();
        String id = calls.start("read x; echo $x; read x; echo $x", "accepts_input", true);

        try (EventStream events = EventStream.open(server, "/v1/tasks/" + id + "/events")) {
            calls.input(id, "text", "one\n").hasStatus(200);
            events.await("one", event -> event.text("text").equals("one\n"));
        }
        Map<String, Object> typed = Json.object("task_id", id, "input", "two\n", "wait_ms", 20_000);
        assertThat(calls.post("/v1/tools/TaskInput", typed).text("/text")).contains("two");
        assertThat(server.log()).contains("max_user_" + what);
    }

    /** Of the output of a terminal too, which its keeper writes. Whoever does not care waits until he is stopped. */
    @Test
    void whatPrintsMoreThanAFileMayHoldIsEnded() throws Exception {
        server.with("HOLDFAST_KEEPER_IDLE", "1s").prepare();
        startUnder(List.of("sh", "-c", "ulimit -f 40000; exec \"$0\" \"$@\""));
        Calls calls = server.calls();
        for (boolean tty : List.of(false, true)) {
            Answer ended = calls.run("yes", "tty", tty, "yield_time_ms", 60_000).completed();
            assertThat(ended.text("/exit_signal")).isEqualTo("SIGXFSZ");
        }
        String deaf = calls.start("trap '' XFSZ; exec yes", "tty", true);
        Path log = server.data().resolve("keeper/log");
        await().atMost(Calls.PATIENCE).until(() -> Files.readString(log).split("waits", -1).length > 2);
        long keeper = Long.parseLong(Files.readString(log).replaceFirst("(?s).* serves, pid (\\d+)\\s.*", "$1"));
        assertThat(calls.stop(deaf).text("/task/status")).isEqualTo("cancelled");
        await("the keeper has nothing left to do").atMost(Calls.PATIENCE).until(() -> !Processes.alive(keeper));
    }

    @TestFactory
    Stream<DynamicTest> withoutDescriptorsForAWhile() throws Exception {
        server.beforeAll();
        return Stream.of(
                DynamicTest.dynamicTest(
                        "a server that had none for its first commands is whole",
                        this::aServerThatHadNoDescriptorsForItsFirstCommandsIsWhole),
                DynamicTest.dynamicTest(
                        "a policy that could not be read is read as soon as it can",
                        this::aPolicyThatCouldNotBeReadIsReadAsSoonAsItCan));
    }

    /** What a first command needs is there since the start, and nobody closes what is not his own. */
    private void aServerThatHadNoDescriptorsForItsFirstCommandsIsWhole() throws Exception {
        Calls calls = server.calls();
        calls.get("/v1/tasks").hasStatus(200); // a connection, for none can be made
        Path process = process();
        Map<Path, String> before = descriptors(process);
        String limit = limit(process);

        try {
            for (int spare = 0; spare < 9; spare++) {
                descriptors(process, Integer.toString(before.size() + spare));
                calls.post("/v1/commands", Calls.command("echo plain"));
                calls.post("/v1/commands", Calls.command("echo walled", "sandbox", "read_only"));
            }
        } finally {
            descriptors(process, limit);
        }

        assertThat(calls.run("echo plain").completed().text("/stdout_preview")).isEqualTo("plain\n");
        assertThat(descriptors(process)).containsAllEntriesOf(files(before));
        calls.get("/q/openapi").hasStatus(200);
    }

    /** It was written in the second in which the server had none to read it by, and is not written again. */
    private void aPolicyThatCouldNotBeReadIsReadAsSoonAsItCan() throws Exception {
        Calls calls = server.calls();
        calls.get("/v1/tasks").hasStatus(200);
        Path process = process();
        String limit = limit(process);

        descriptors(process, "3");
        try {
            Files.writeString(
                    server.data().resolve("policy.yaml"),
                    "version: 1\nrules:\n  - {id: no-moon, match: {command: 'moon *'}, decision: deny}\n");
            await().atMost(Calls.PATIENCE)
                    .until(() -> calls.get("/q/health").body().contains("cannot be read"));
        } finally {
            descriptors(process, limit);
        }

        await().atMost(Calls.PATIENCE)
                .untilAsserted(() -> calls.run("echo plain").completed());
        assertThat(calls.run("moon landing").refused(403, "command_denied").text("/details/rule"))
                .isEqualTo("no-moon");
    }

    private Path process() {
        return Path.of("/proc", Long.toString(server.pid()));
    }

    private static String limit(Path process) throws IOException {
        return Files.readAllLines(process.resolve("limits")).stream()
                .filter(line -> line.startsWith("Max open files"))
                .map(line -> line.replaceFirst("Max open files +(\\d+) .*", "$1"))
                .findFirst()
                .orElseThrow();
    }

    private static Map<Path, String> descriptors(Path process) throws IOException {
        try (Stream<Path> open = Files.list(process.resolve("fd"))) {
            Map<Path, String> found = new HashMap<>();
            for (Path descriptor : open.toList()) {
                try {
                    found.put(descriptor, Files.readSymbolicLink(descriptor).toString());
                } catch (NoSuchFileException closed) {
                    // Meanwhile: it was for a moment.
                }
            }
            return found;
        }
    }

    /** Those that stay open: what it runs from, its database, its lock. */
    private static Map<Path, String> files(Map<Path, String> descriptors) {
        Map<Path, String> files = new HashMap<>(descriptors);
        files.values().removeIf(file -> !file.endsWith(".jar") && !file.endsWith(".db") && !file.equals("/dev/null"));
        return files;
    }

    private static void descriptors(Path process, String limit) throws Exception {
        Process set = new ProcessBuilder(
                        "prlimit", "--pid", process.getFileName().toString(), "--nofile=" + limit + ":")
                .inheritIO()
                .start();
        assertThat(set.waitFor()).isZero();
    }

    private void startUnder(List<String> under) throws Exception {
        server.startedBy(Stream.concat(under.stream(), server.command(List.of()).command().stream())
                .toArray(String[]::new));
        server.start();
    }
}
