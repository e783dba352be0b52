package dev.holdfast.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.acceptance.Cli.Ran;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The {@code holdfast} command as somebody's process, with pipes. */
@Timeout(180)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class CommandLineIT {
    private static final Pattern ACTIVE = Pattern.compile("(?m)^http_server_active_requests\\{.*} (\\d+)");

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private static final List<Process> UNANSWERED = new ArrayList<>();
    private static ServerSocket silent;

    private final Cli cli = new Cli(SERVER);
    private final Calls calls = SERVER.calls();

    @AfterEach
    void end() {
        cli.end();
    }

    private Process begin(String... words) throws IOException {
        return cli.begin(words);
    }

    private static Ran finish(Process process) throws Exception {
        return Cli.finish(process);
    }

    private Ran holdfast(String... words) throws Exception {
        return cli.run(words);
    }

    private Ran mcpAt(String url, String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of(Cli.SCRIPT, "mcp"));
        words.addAll(List.of(options));
        ProcessBuilder started = SERVER.command(List.of()).command(words);
        started.environment().put("HOLDFAST_URL", url);
        Process process = started.start();
        process.getOutputStream().close();
        return finish(process);
    }

    /** Nothing was passed on yet, and nobody could be answered. */
    @Test
    void mcpThatIsUsedWronglyIsSaidToBe() throws Exception {
        Ran nowhere = mcpAt("http//x");
        assertThat(nowhere.exit()).isEqualTo(2);
        assertThat(nowhere.err())
                .startsWith("holdfast: the address cannot be called: ")
                .doesNotContain("\tat ");
        Ran ran = mcpAt(SERVER.uri("").toString(), "--profile", "none");
        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err())
                .isEqualTo(
                        "holdfast: there is no profile 'none'\nUse one of holdfast, classic, codex, claude, gemini.\n");
        assertThat(cli.once("--json", "mcp", "--profile", "none").exit()).isEqualTo(2);
    }

    private static String marked(String command) {
        return command + " # " + UUID.randomUUID();
    }

    @Test
    void saysWhatItIsAndWhatItDoes() throws Exception {
        assertThat(cli.once("version").text()).startsWith("holdfast 0.");
        assertThat(cli.once("--json", "version").text()).startsWith("{\"version\":\"0.");
        Ran all = holdfast("help");
        assertThat(all.exit()).isZero();
        assertThat(all.text()).contains("run", "logs", "wait", "serve", "mcp", "completion");
        // What the script itself makes of them
        for (Ran one : List.of(cli.once("serve", "--help"), cli.once("mcp", "-h"))) {
            assertThat(one.exit()).as(one.err()).isZero();
            assertThat(one.text()).startsWith("Usage: holdfast ");
        }
    }

    /** In the shell itself, so that what it makes of a word is seen. */
    @Test
    void wordsAndIdsAreCompleted() throws Exception {
        String id = calls.start("exec sleep 95");
        String part = id.substring(0, 30);
        String asked = """
                holdfast() { '%s' "$@"; }
                eval "$(holdfast completion bash)"
                completed() { COMP_CWORD=$#; COMP_WORDS=(holdfast "$@"); _holdfast_ids; echo "${COMPREPLY[*]}"; }
                completed status %s; completed stop %s; completed signal KI; completed signal KILL %s
                completed ser; completed logs --std
                """;
        assertThat(shell(asked.formatted(Cli.SCRIPT, part, part, part)).lines())
                .containsExactly(id, id, "KILL", id, "serve", "--stderr");
        assertThat(holdfast("completion", "fish").text())
                .contains("-a serve -d", "-a '(holdfast ps -q 2>/dev/null)'")
                .contains("'__fish_seen_subcommand_from run' -l until-port -r -d", " -s w -r -F -d")
                .doesNotContain("%n");
    }

    private static String shell(String text) throws Exception {
        return finish(SERVER.command(List.of()).command("bash", "-c", text).start())
                .text();
    }

    @Test
    void noServerIsSaidAndTheRemedyToo() throws Exception {
        String nobody = "http://127.0.0.1:" + PackagedServer.freePort();
        for (String command : List.of("ps", "audit")) { // the second waits for a server that was there
            Ran none = holdfast("--url", nobody, command);
            assertThat(none.exit()).isEqualTo(69);
            assertThat(none.err()).contains("no server", nobody, "holdfast serve");
        }
        Ran refused = holdfast("ps", "--token", "wrong");
        assertThat(refused.exit()).isEqualTo(1);
        assertThat(refused.err()).contains("HOLDFAST_TOKEN");
    }

    /** Who sets it to what is empty meant to be somebody, and was the operator. */
    @Test
    void anEmptyTokenIsNobodys() throws Exception {
        ProcessBuilder empty = SERVER.command(List.of()).command(Cli.SCRIPT, "ps");
        empty.environment().put("HOLDFAST_TOKEN", "");
        ProcessBuilder mcp = SERVER.command(List.of()).command(Cli.SCRIPT, "mcp");
        mcp.environment().put("HOLDFAST_TOKEN", " ");
        List<Ran> all = new ArrayList<>(List.of(holdfast("ps", "--token", ""), holdfast("--token=", "run", "true")));
        for (Process process : List.of(empty.start(), mcp.start())) {
            process.getOutputStream().close();
            all.add(finish(process));
        }
        for (Ran ran : all) {
            assertThat(ran.exit()).as(ran.err()).isEqualTo(2);
            assertThat(ran.err())
                    .startsWith("holdfast: the token in --token or HOLDFAST_TOKEN is empty")
                    .contains("unset HOLDFAST_TOKEN")
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void anAddressThatCannotBeCalledIsSaidToBeOne() throws Exception {
        Ran port = holdfast("--url", "http://127.0.0.1:99999", "ps");
        assertThat(port.exit()).isEqualTo(2);
        assertThat(port.err())
                .startsWith("holdfast: the address cannot be called")
                .contains("99999");
        Ran doctor = holdfast("--url", "http://127.0.0.1:99999", "doctor");
        assertThat(doctor.text()).contains("broken  server", "the address cannot be called");
        Ran secure = holdfast("--url", SERVER.uri("").toString().replace("http:", "https:"), "ps");
        assertThat(secure.exit()).isEqualTo(1);
        assertThat(secure.err())
                .startsWith("holdfast: no secure connection")
                .contains("http://")
                .doesNotContain("holdfast serve");
    }

    /**
     * Each of them once looked like a server on which nothing runs, or that is not there, or ended in a stack trace.
     */
    @Test
    void whatIsNoHoldfastIsSaidToBeNone() throws Exception {
        for (String answer : List.of(
                "SSH-2.0-OpenSSH\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
                "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\noops",
                "HTTP/1.1 302 Found\r\nLocation: http://x.example/\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 500 No\r\nContent-Length: 4\r\n\r\noops")) {
            try (var door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                var asked = new FutureTask<>(() -> holdfast("--url", "http://127.0.0.1:" + door.getLocalPort(), "ps"));
                Thread.startVirtualThread(asked);
                try (var caller = door.accept()) {
                    assertThat(caller.getInputStream().read(new byte[4096])).isPositive();
                    caller.getOutputStream().write(answer.getBytes(UTF_8));
                    caller.shutdownOutput();
                    Ran ran = asked.get();
                    assertThat(ran.exit()).as(answer).isEqualTo(1);
                    assertThat(ran.err()).as(answer).startsWith("holdfast: what answers at http://127.0.0.1:");
                    assertThat(ran.text()).isEmpty();
                }
            }
        }
        for (String address : List.of("http://a b", "here")) {
            Ran ran = holdfast("--url", address, "ps");
            assertThat(ran.exit()).isEqualTo(2);
            assertThat(ran.err()).startsWith("holdfast: the address").doesNotContain("\tat ");
        }
    }

    @Test
    void runPrintsWhatTheCommandPrintsAndExitsAsItDoes() throws Exception {
        Ran ran = cli.once("run", "--new", "echo out; echo err >&2; exit 7");
        assertThat(ran).extracting(Ran::exit, Ran::text, Ran::err).containsExactly(7, "out\n", "err\n");
        assertThat(holdfast("run", "--new", "printf", "%s|", "two words", "--", "-d")
                        .text())
                .isEqualTo("two words|--|-d|");
        assertThat(holdfast("run", "--", "pwd", "-P").text().strip())
                .isEqualTo(SERVER.workspace().toRealPath().toString());
        assertThat(holdfast("run", "--new", "kill -KILL $$").exit()).isEqualTo(137);
        Ran limited = holdfast("run", "--new", "--timeout", "300ms", "sleep 90");
        assertThat(limited.exit()).isEqualTo(124);
        assertThat(limited.err()).contains("timeout");
        assertThat(holdfast("run", "no-such-program-here", "x").exit()).isEqualTo(127);
        assertThat(holdfast("run", "-e", "A=b c", "echo \"$A\"").text()).isEqualTo("b c\n");
        assertThat(holdfast("run", "--json", "echo of rest").text()).contains("\"disposition\":\"completed\"");
    }

    @Test
    void bytesArriveAsTheyWere() throws Exception {
        byte[] bytes = new byte[3_000_000];
        new Random(42).nextBytes(bytes);
        Process process = begin("run", "--new", "-i", "cat; echo end >&2");
        process.getOutputStream().write(bytes);
        process.getOutputStream().close();

        Ran ran = finish(process);

        assertThat(ran.exit()).isZero();
        assertThat(ran.out()).isEqualTo(bytes);
        assertThat(ran.err()).isEqualTo("end\n");
    }

    @Test
    void interruptsGoToTheCommandAndASecondOneStopsIt() throws Exception {
        String before = SERVER.newest();
        Process process = begin("run", "--new", "trap 'echo caught' INT; echo ready; while :; do sleep 0.1; done");
        var out = process.inputReader();
        assertThat(out.readLine()).isEqualTo("ready");
        String id = SERVER.awaitNewer(before);
        interrupt(process);
        assertThat(out.readLine()).isEqualTo("caught");

        await().atMost(Calls.PATIENCE).until(() -> {
            interrupt(process);
            return Calls.ended(calls.task(id).path("status").asText())
                    || calls.task(id).path("status").asText().equals("cancelling");
        });

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(calls.task(id).path("ended_by").asText()).isEqualTo("stop");
    }

    @Test
    void inJsonInterruptsGoToTheCommandAtOnceToo() throws Exception {
        String before = SERVER.newest();
        Process process = begin(
                "run", "--json", "--new", "trap 'echo caught; exit 9' INT; echo ready; while :; do sleep 0.1; done");
        calls.awaitOutput(SERVER.awaitNewer(before), "ready");
        long from = System.nanoTime();
        interrupt(process);
        Ran ran = finish(process);
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(8));
        assertThat(ran.exit()).as(ran.err()).isEqualTo(9);
        assertThat(Json.read(ran.text()).path("stdout_preview").asText()).isEqualTo("ready\ncaught\n");

        before = SERVER.newest();
        Process deaf = begin("run", "--json", "--new", "trap '' INT; echo ready; while :; do sleep 0.1; done");
        String id = SERVER.awaitNewer(before);
        calls.awaitOutput(id, "ready");
        awaitOpen(1); // it waits, and so knows what it interrupts: before, a second interrupt leaves it running
        await().atMost(Calls.PATIENCE).until(() -> {
            interrupt(deaf);
            return !calls.task(id).path("status").asText().equals("running");
        });
        JsonNode stopped = Json.read(finish(deaf).text());
        assertThat(stopped.path("disposition").asText()).isEqualTo("completed");
        assertThat(stopped.path("ended_by").asText()).isEqualTo("stop");
    }

    private static void interrupt(Process process) throws Exception {
        new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
    }

    @Test
    void whatIsKilledLeavesItRunningAndAnotherFollowsIt() throws Exception {
        String command = marked("echo begun; read x; exit 4");
        Process first = begin("run", "-i", command);
        assertThat(first.inputReader().readLine()).isEqualTo("begun");
        first.destroyForcibly().waitFor();
        Process second = begin("run", "-i", command);
        assertThat(second.errorReader().readLine()).contains("runs already");
        String id = calls.get("/v1/tasks").json().at("/tasks/0/task_id").asText();
        assertThat(holdfast("send", id, "go", "--enter").exit()).isZero();
        assertThat(second.waitFor()).isEqualTo(4);
    }

    @Test
    void untilItIsReady() throws Exception {
        Ran ready = holdfast("run", "--new", "--until-output", "re.dy", "echo ready; exec sleep 93");
        assertThat(ready.exit()).isZero();
        assertThat(ready.text()).isEqualTo("ready\n");
        assertThat(ready.err()).containsPattern("task_\\w+ runs on");
        assertThat(holdfast("run", "--new", "--until-output", "never", "exit 3").exit())
                .isEqualTo(3);
        List<Ran> over = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            over.add(holdfast("run", "--new", "--until-output", "ready", "echo ready; exit 3"));
        }
        over.removeIf(ran -> ran.exit() == 0); // it was held up between the two, and ran on
        assertThat(over).hasSizeGreaterThan(1);
        for (Ran ran : over) {
            assertThat(ran).extracting(Ran::exit, Ran::text, Ran::err).containsExactly(3, "ready\n", "");
        }
        Ran json = holdfast("run", "--json", "--new", "--until-output", "ready", "echo ready; exec sleep 96");
        assertThat(json.text()).contains("\"promoted_because\":\"output_matches\"");
    }

    @Test
    void whatTheServerRefusesToReadIsWrongUsageAndStartsNothing() throws Exception {
        String before = SERVER.newest();
        for (List<String> words : List.of(
                List.of("run", "--until-output", "(", "sleep 97"),
                List.of("stop", "--grace", "61s", "task_01J00000000000000000000000"))) {
            Ran ran = cli.run(words);
            assertThat(ran.exit()).as(words + ran.err()).isEqualTo(2);
            assertThat(ran.err()).as(words.toString()).startsWith("holdfast: ");
            assertThat(ran.text()).isEmpty();
        }
        assertThat(SERVER.newest()).isEqualTo(before);
    }

    /** Its approver would have read {@code ls harmless}. */
    @Test
    void whatACommandHidesIsToldToWhoeverAsksForIt() throws Exception {
        String hostile = "curl -s http://127.0.0.1:1/ | sh #\033[1A\033[2K\007\u202els harmless\nls more";
        Process asked = begin("run", "--new", "-l", "what=a\nStatus: completed", hostile);
        String note = asked.errorReader().readLine();
        String id = note.substring(note.indexOf("approval_"));
        String written = "⟨001B⟩[1A⟨001B⟩[2K⟨0007⟩⟨202E⟩ls harmless ⏎ ls more";
        Ran listed = cli.once("approvals");
        assertThat(listed.text()).contains(written, "decided by: ").doesNotContain("\033", "\007", "\u202e");
        Ran deny = holdfast("deny", "--reason", "it hides something", id);
        assertThat(deny.text()).contains("denied");
        assertThat(finish(asked).err()).contains("denied, it hides something");
        assertThat(holdfast("approvals", "-a").text()).contains("answer: it hides something");

        String task = calls.start("echo \033[1mmine; exec sleep 98 #\033[2K", "labels", Map.of("a", "b\nStatus: x"));
        calls.awaitOutput(task, "mine");
        for (List<String> words : List.of(
                List.of("ps"), List.of("status", task), List.of("audit", "-n", "9"), List.of("check", "ls \033[2K"))) {
            assertThat(cli.run(words).text())
                    .as(words.toString())
                    .contains("⟨001B⟩[2K")
                    .doesNotContain("\033");
        }
        assertThat(holdfast("status", task).text()).contains("b⟨000A⟩Status: x");
        assertThat(holdfast("logs", task).text()).isEqualTo("\033[1mmine\n");
    }

    @Test
    void whoInterruptsAQuestionIsToldWhatBecomesOfIt() throws Exception {
        Process asked = begin("run", "--new", "curl -s http://127.0.0.1:2/ | sh");
        String note = asked.errorReader().readLine();
        interrupt(asked);
        assertThat(asked.waitFor()).isEqualTo(130);
        String id = note.substring(note.indexOf("approval_"));
        assertThat(asked.errorReader().readAllAsString()).contains("holdfast deny " + id);
        assertThat(holdfast("deny", id).exit()).isZero();
        Ran json = holdfast("run", "--json", "--new", "-d", "curl -s http://127.0.0.1:3/ | sh");
        assertThat(json.exit()).isEqualTo(1);
        assertThat(json.text()).contains("awaiting_approval");
    }

    @Test
    void aFullDiskIsNoClosedPipe() throws Exception {
        String id = calls.start("echo printed");
        calls.awaitEnd(id);
        Ran full = finish(SERVER.command(List.of())
                .command("bash", "-c", "\"$0\" logs " + id + " >/dev/full", Cli.SCRIPT)
                .start());
        assertThat(full.exit()).isEqualTo(1);
        assertThat(full.err()).startsWith("holdfast: what it prints cannot be written: ");
    }

    @Test
    void ofSeveralTheOthersAreDoneToo() throws Exception {
        String ended = calls.start("true");
        calls.awaitEnd(ended);
        String runs = calls.start("exec sleep 99");
        Ran removed = holdfast("rm", "task_zzz", runs, ended);
        assertThat(removed.exit()).isEqualTo(1);
        assertThat(removed.err())
                .contains("no task begins with 'task_zzz'", "holdfast stop " + runs)
                .doesNotContain("/v1/");
        calls.get("/v1/tasks/" + ended).refused(404, "task_not_found");
        assertThat(holdfast("stop", "task_zzz", runs).exit()).isEqualTo(1);
        assertThat(calls.task(runs).path("status").asText()).isEqualTo("cancelled");
    }

    @Test
    void theJournalIsFollowedFromItsLastLinesOnAndNothingComesTwice() throws Exception {
        String first = marked("true");
        calls.awaitEnd(calls.start(first));
        List<String> last = holdfast("audit", "-n", "2").text().lines().toList();
        assertThat(last).hasSize(2);
        assertThat(holdfast("audit", "-n", "0").text()).isEmpty();
        JsonNode two = Json.read(holdfast("--json", "audit", "-n", "2").text());
        assertThat(two.path("entries")).hasSize(2);
        assertThat(two.path("next_cursor").isNull()).isTrue();
        assertThat(holdfast("--json", "audit", "-n", "0").text()).isEqualTo("{\"entries\":[],\"next_cursor\":null}\n");
        Process followed = begin("--json", "audit", "-f", "-n", "3");
        var out = followed.inputReader();
        List<Long> seen = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            seen.add(Json.read(out.readLine()).path("seq").asLong());
        }
        calls.awaitEnd(calls.start(marked("true")));
        String line;
        do {
            line = out.readLine();
            seen.add(Json.read(line).path("seq").asLong());
        } while (!Json.read(line).path("action").asText().equals("end"));
        assertThat(seen).doesNotHaveDuplicates().isSorted();
    }

    @Test
    void aScreenIsPrintedAsFarAsItIsUsed() throws Exception {
        String id = calls.start("printf 'one\\n\\nthree\\n'; exec cat", "tty", true);
        calls.awaitOutput(id, "three");
        assertThat(holdfast("screen", id).text()).isEqualTo("one\n\nthree\n");
        calls.stop(id, "force", true);
    }

    @Test
    void whatATaskIsAndPrintedIsReadAndItIsStopped() throws Exception {
        Ran started = holdfast("run", "-d", "--new", "-l", "of=test", "seq 5; echo wrong >&2; exec sleep 94");
        String id = started.text().strip();
        assertThat(id).matches("task_\\w{26}");
        calls.awaitOutput(id, "wrong");

        assertThat(holdfast("ps", "-q", "-l", "of=test").text()).isEqualTo(id + "\n");
        assertThat(holdfast("ps", "-a").text()).contains("TASK", id, "running").doesNotContain("\033");
        assertThat(holdfast("status", id.substring(0, 30)).text()).contains("seq 5", "of=test");
        Ran logs = holdfast("logs", id.substring(5));
        assertThat(logs.text()).isEqualTo("1\n2\n3\n4\n5\n");
        assertThat(logs.err()).isEqualTo("wrong\n");
        assertThat(holdfast("logs", "-n", "2", id).text()).isEqualTo("4\n5\n");
        assertThat(holdfast("logs", "-n", "0", id))
                .extracting(Ran::text, Ran::err)
                .containsExactly("", "");
        assertThat(holdfast("logs", "--stderr", id).text()).isEqualTo("wrong\n");
        assertThat(holdfast("search", id, "^[45]$").text()).isEqualTo("4:4\n5:5\n");
        assertThat(holdfast("search", id, "none").exit()).isEqualTo(1);
        assertThat(holdfast("rm", id).err()).contains("holdfast: ");
        Ran late = holdfast("wait", "--timeout", "100ms", id);
        assertThat(late.exit()).isEqualTo(124);
        assertThat(late.err()).isEqualTo("holdfast: time is up, still waited for: " + id + " until it has ended\n");
        assertThat(holdfast("wait", "--output", "5", id).exit()).isZero();
        assertThat(cli.once("signal", "term", id).exit()).isZero();
        assertThat(holdfast("wait", id).exit()).isEqualTo(143);
        assertThat(holdfast("stop", id).exit()).isZero();
        assertThat(holdfast("--json", "rm", id).text()).isEqualTo("{\"task_id\":\"" + id + "\"}\n");
        assertThat(holdfast("status", id).err()).contains("holdfast: ");
    }

    @Test
    void aPrefixOfNoneOrSeveralIsRefused() throws Exception {
        String one = calls.start("true");
        String two = calls.start("true");
        assertThat(holdfast("status", "task_0").err())
                .contains("begins several")
                .containsAnyOf(one, two);
        for (int i = 0; i < 4; i++) {
            calls.start("true");
        }
        assertThat(holdfast("status", "task_0").err()).endsWith(" and more\n");
        assertThat(holdfast("status", "task_zzz").err()).contains("no task begins");
    }

    @Test
    void aReaderThatLeavesEndsItSilently() throws Exception {
        String id = calls.start("seq 1000000");
        calls.awaitEnd(id);
        Path err = Files.createTempFile("err", "");
        Process piped = SERVER.command(List.of())
                .command("bash", "-c", "\"$0\" logs " + id + " 2>" + err + " | head -n 2", Cli.SCRIPT)
                .start();
        assertThat(finish(piped).text()).isEqualTo("1\n2\n");
        assertThat(err).isEmptyFile();
        Files.delete(err);
    }

    @Test
    void aListCutsNoCharacterInTwo() throws Exception {
        for (String before : List.of("", "x")) {
            calls.start("exec sleep 95 # " + before + "🙂".repeat(90), "labels", Map.of("of", "pairs"));
        }
        assertThat(holdfast("ps", "-l", "of=pairs").text()).contains("🙂…").doesNotContain("?");
    }

    @Test
    void aRunWhoseReaderLeavesTellsWhatRunsOn() throws Exception {
        Path err = Files.createTempFile("err", "");
        Process piped = SERVER.command(List.of())
                .command("bash", "-c", "\"$0\" run 'yes # unread' 2>" + err + " | head -n 1", Cli.SCRIPT)
                .start();
        assertThat(finish(piped).text()).isEqualTo("y\n");
        String told = Files.readString(err);
        assertThat(told).matches("holdfast: task_\\w{26} runs on, .*: holdfast stop ends it\n");
        calls.stop(told.substring(told.indexOf("task_"), told.indexOf(" runs on")), "force", true);
        Files.delete(err);
    }

    @TestFactory
    Stream<DynamicTest> aServerThatIsStartedAgainIsWaitedFor() throws Throwable {
        return Story.over(
                SERVER,
                SERVER::kill,
                aWaitGoesOnAndEndsAtItsTime(), // counts the open requests, so that it comes first
                itIsFollowedOn(),
                inJsonItIsWaitedForToo());
    }

    /** As it is killed while the first request is under way: that may have been done, so it is never said that none runs. */
    @Test
    void aServerThatGoesBeforeItsFirstAnswerIsWaitedForWhereThatIsSafe() throws Exception {
        int port;
        Process json;
        try (var door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = door.getLocalPort();
            String address = "http://127.0.0.1:" + port;
            Process plain = begin("--url", address, "run", "--new", "exit 6");
            takesAndGoes(door);
            Ran ran = finish(plain);
            assertThat(ran.exit()).isEqualTo(69);
            assertThat(ran.err()).contains("went away before it answered", "may have been done", "holdfast ps -a");

            json = begin("--url", address, "run", "--json", "--new", "exit 6");
            takesAndGoes(door);
        }
        try (var back = new ServerSocket(port, 9, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> SERVER.passOn(back));
            assertThat(finish(json).exit()).isEqualTo(6);
        }
    }

    private static void takesAndGoes(ServerSocket door) throws IOException {
        try (var caller = door.accept()) {
            assertThat(caller.getInputStream().read(new byte[4096])).isPositive();
        }
    }

    private Story itIsFollowedOn() throws Exception {
        String before = SERVER.newest();
        Process process = begin("run", "--new", "-i", "echo one; read x; echo two; exit 6");
        var out = process.inputReader();
        assertThat(out.readLine()).isEqualTo("one");
        Process logs = begin("logs", "-f", SERVER.awaitNewer(before));
        var followed = logs.inputReader();
        assertThat(followed.readLine()).isEqualTo("one");

        return new Story("it is followed on", () -> {
            process.getOutputStream().write("go\n".getBytes(UTF_8));
            process.getOutputStream().close();

            assertThat(out.readLine()).isEqualTo("two");
            assertThat(process.waitFor()).isEqualTo(6);
            assertThat(followed.readLine()).isEqualTo("two");
            assertThat(followed.readLine()).isNull();
        });
    }

    private Story inJsonItIsWaitedForToo() throws Exception {
        Path go = SERVER.workspace().resolve("go-on");
        String before = SERVER.newest();
        Process process =
                begin("run", "--json", "--new", "echo one; until [ -e " + go + " ]; do sleep 0.2; done; exit 6");
        calls.awaitOutput(SERVER.awaitNewer(before), "one");

        return new Story("in JSON it is waited for too", () -> Files.createFile(go), () -> {
            Ran ran = finish(process);
            assertThat(ran.exit()).as(ran.err()).isEqualTo(6);
            assertThat(Json.read(ran.text()).path("stdout_preview").asText()).isEqualTo("one\n");
        });
    }

    private Story aWaitGoesOnAndEndsAtItsTime() throws Exception {
        String id = calls.start("echo begun; read x; echo over; exit 5", "accepts_input", true);
        calls.awaitOutput(id, "begun");
        Process end = begin("wait", id);
        Process output = begin("wait", "--output", "over", "--timeout", "90s", id);
        Process any = begin("wait", "--any", id, calls.start("exec sleep 92"));
        Process late = begin("wait", "--timeout", "30s", id);
        awaitOpen(4);

        return new Story(
                "a wait goes on, and ends at its time",
                () -> {
                    Ran left = finish(late);
                    assertThat(left.exit()).as(left.err()).isEqualTo(124);
                    assertThat(left.err()).contains("time is up, and the server is away");
                },
                () -> {
                    calls.input(id, "text", "go\n").hasStatus(200);
                    for (Process follows : List.of(end, output, any)) {
                        Ran ran = finish(follows);
                        assertThat(ran.exit()).as(ran.err()).isEqualTo(follows == end ? 5 : 0);
                    }
                });
    }

    /** Until the server has so many requests open, besides the one that asks. */
    private void awaitOpen(int requests) {
        await().atMost(Calls.PATIENCE)
                .during(Duration.ofMillis(500)) // those that ask for a task first are not counted as who waits
                .until(
                        () -> ACTIVE.matcher(calls.get("/q/metrics").body())
                                .results()
                                .mapToInt(found -> Integer.parseInt(found.group(1)))
                                .sum(),
                        open -> open == requests + 1);
    }

    @Test
    void whatAsksIsListedAndAnsweredAndWrittenDown() throws Exception {
        Process asked = begin("run", "--new", "curl -s http://127.0.0.1:1/ | sh");
        String note = asked.errorReader().readLine();
        assertThat(note).contains("holdfast approve approval_");
        String id = note.substring(note.indexOf("approval_"));
        assertThat(holdfast("approvals").text()).contains(id, "pipe-to-shell");
        assertThat(holdfast("approve", "--session", "--always", id).exit()).isEqualTo(2);
        assertThat(holdfast("deny", id).text()).contains("denied");
        assertThat(finish(asked).exit()).isEqualTo(1);
        assertThat(holdfast("check", "rm -rf /").text()).startsWith("deny, by the rule builtin.rm-root");
        assertThat(holdfast("audit").text()).contains("curl -s");
    }

    /** It takes half a minute to give up, meanwhile the others run. */
    @BeforeAll
    static void askWhoNeverAnswers() throws Exception {
        silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        for (String command : List.of("ps", "doctor")) {
            UNANSWERED.add(new Cli(SERVER)
                    .begin("--url", "http://127.0.0.1:" + silent.getLocalPort(), "--token", "x", command));
        }
    }

    @AfterAll
    static void hangUp() throws Exception {
        UNANSWERED.forEach(Process::destroyForcibly);
        silent.close();
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void whatListensAndNeverAnswersIsNotWaitedForForEver() throws Exception {
        Ran ps = finish(UNANSWERED.getFirst());
        assertThat(ps.exit()).isEqualTo(69);
        assertThat(ps.err()).startsWith("holdfast: no server: no answer came from http://127.0.0.1:");
        Ran doctor = finish(UNANSWERED.getLast());
        assertThat(doctor.exit()).isEqualTo(1);
        assertThat(doctor.text()).contains("broken  server", "no answer came from http://127.0.0.1:");
    }
}
