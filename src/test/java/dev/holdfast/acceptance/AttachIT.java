package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code holdfast attach} and {@code holdfast run -t} in a real terminal. */
@Timeout(180)
class AttachIT {
    private static final String LEAVE = "\035";

    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer();

    @RegisterExtension
    static final PackagedServer HOLDER = PackagedServer.shared();

    private final Calls calls = SERVER.calls();
    private Desk desk = new Desk(calls, "");

    @BeforeEach
    void sitDown() {
        desk = Desk.before(HOLDER, SERVER);
    }

    /** Also with what was left running on purpose: a flood of it would go on beside all tests that follow. */
    @AfterEach
    void goHome() {
        desk.calls().stop(desk.id(), "force", true);
        calls.stopAll();
    }

    /** One of ours: another run of this test on this machine has the same words. */
    private static void terminate(String words) {
        List<Long> ours = Processes.marked(PackagedServer.MARKER, HOLDER.marker());
        List<Long> pids = Processes.running("dev.holdfast.cli.Holdfast " + words).stream()
                .filter(ours::contains)
                .toList();
        assertThat(pids).hasSize(1);
        pids.forEach(pid -> ProcessHandle.of(pid).orElseThrow().destroy());
    }

    private String terminal(String cmd) {
        return calls.start(cmd, "tty", true);
    }

    @Test
    void theScreenIsPaintedAndTypedInAndLeft() {
        String id = terminal("echo painted; exec cat");
        calls.awaitOutput(id, "painted");
        desk.enter("holdfast attach " + id.substring(0, 30));
        desk.shows("^painted");
        desk.type("typed\n");
        desk.shows("^painted\ntyped\ntyped\n");
        assertThat(calls.get("/v1/tasks/" + id + "/screen").json().path("rows").asInt())
                .isEqualTo(Desk.ROWS);

        desk.type(LEAVE);

        desk.shows(id + " runs on: holdfast attach comes back");
        desk.isUsual();
        assertThat(calls.task(id).path("status").asText()).isEqualTo("running");
    }

    @Test
    void aListKeepsToTheWidthOfTheScreen() {
        calls.start("exec sleep 95 # " + "that goes on and ".repeat(20), "labels", Map.of("of", "width"));
        desk.enter("holdfast ps -l of=width; echo over");
        String shown = desk.shows("COMMAND\ntask_\\w{26} +running +[^\n]+ exec sleep 95 # that goes[^\n]+…\nover");
        assertThat(shown.lines().filter(line -> line.endsWith("…"))).allMatch(line -> line.length() == Desk.COLS);

        desk.enter("holdfast ps -l of=width | cat; echo piped");
        desk.shows("…\npiped");
        assertThat(desk.screen()).containsPattern("COMMAND\ntask_[^\n]{105}\n[^\n]{22}\npiped");
    }

    @Test
    void aListWithWideLettersKeepsToTheWidthToo() {
        calls.start("exec sleep 96 # " + "幅が広い 🎉 ".repeat(20), "labels", Map.of("of", "wide"));
        desk.enter("holdfast ps -l of=wide; echo over");
        desk.shows("COMMAND\ntask_\\w{26} +running +[^\n]+ exec sleep 96 # 幅[^\n]+…\nover");
    }

    /** What came later would scroll away what is said, and could leave our terminal in a state that is not ours. */
    @Test
    void nothingIsPrintedOnceItIsLeft() {
        String id = terminal("yes filler");
        desk.enter("holdfast attach " + id);
        isLeftInItsFlood();
        calls.stop(id, "force", true);
        desk.enter("holdfast run -t --new 'yes filler'");
        isLeftInItsFlood();
        desk.isUsual();
    }

    private void isLeftInItsFlood() {
        desk.shows("(filler\n){9}");
        desk.type(LEAVE);
        desk.shows(" runs on: holdfast attach comes back\ndesk>");
    }

    @Test
    void theOtherScreenIsLeftAndTheCursorIsThereAgain() {
        String id = terminal("printf '\\033[?1049h\\033[?25l\\033[3;5r\\033[?2004hediting'; exec cat");
        calls.awaitOutput(id, "editing");
        desk.enter("holdfast attach --detach-key ctrl-a " + id);
        desk.shows("editing");
        assertThat(desk.look().path("alternate_screen").asBoolean()).isTrue();
        desk.type(LEAVE + "x\n");
        desk.shows("\\^]x");

        desk.press("ctrl-a");

        desk.shows("runs on");
        assertThat(desk.look().path("alternate_screen").asBoolean()).isFalse();
        assertThat(desk.look().at("/cursor/visible").asBoolean()).isTrue();
        desk.isUsual();
    }

    /** Else ours would go on to send Ctrl-C as {@code CSI 99;5u}, which no shell understands that did not ask for it. */
    @Test
    void theKeysAreTheUsualOnesAgain() {
        desk.enter("holdfast run -t --new 'printf \"\\e[>1u\\e[>4;1masked\"; exec cat'");
        desk.shows("asked");
        String asked = "\033[>1u\033[>4;1m";
        desk.type(LEAVE);
        desk.shows("runs on");

        String all = desk.calls().raw(desk.id(), "?stream=stdout&cursor=-2000").body();
        assertThat(all.substring(all.lastIndexOf(asked) + asked.length())).contains("\033[<99u", "\033[>4m");
        desk.isUsual();
    }

    /** How each row stands has one, and nothing that a command says of itself. */
    @Test
    void colouredIsHowTasksStandAlone() {
        calls.awaitEnd(calls.start("exit 3 # running"));
        calls.start("sleep 637 # failed");

        String coloured = listed("xterm", "");

        assertThat(coloured)
                .containsPattern("\033\\[1mTASK .*COMMAND\033\\[0m")
                .containsPattern("\033\\[31mfailed \\(3\\)\033\\[0m .* exit 3 # running")
                .containsPattern("\033\\[32mrunning\033\\[0m .* sleep 637 # failed");
        assertThat(listed("xterm", "1")).contains("sleep 637").doesNotContain("\033[3");
        assertThat(listed("dumb", "")).contains("sleep 637").doesNotContain("\033[3");
    }

    /** On a terminal of that kind. */
    private String listed(String kind, String noColor) {
        Map<String, Object> environment = Json.object(
                "HOLDFAST_URL",
                SERVER.uri("").toString(),
                "HOLDFAST_TOKEN",
                SERVER.token(),
                "TERM",
                kind,
                "NO_COLOR",
                noColor);
        String id = desk.calls().start(Cli.SCRIPT + " ps -a", "tty", true, "cols", 300, "env", environment);
        desk.calls().awaitEnd(id);
        return desk.calls()
                .get("/v1/tasks/" + id + "/output?view=raw&max_bytes=1048576")
                .text("/text");
    }

    @Test
    void itIsAsLargeAsOurs() {
        String id = terminal("trap 'stty size' WINCH; echo ready; while :; do sleep 0.1; done");
        calls.awaitOutput(id, "ready");
        desk.enter("holdfast attach " + id);
        desk.shows(Desk.ROWS + " " + Desk.COLS);
        desk.calls().put("/v1/tasks/" + desk.id() + "/terminal-size", Json.object("rows", 20, "cols", 77));
        desk.shows("20 77");
    }

    @TestFactory
    Stream<DynamicTest> whenTheServerIsKilled() throws Throwable {
        return Story.over(SERVER, SERVER::kill, itComesBackWhenTheServerDoes(), itIsLeftToo(), runGoesOn());
    }

    private Story itComesBackWhenTheServerDoes() {
        String id = terminal("echo painted; read x; echo got $x; read y; exit 4");
        calls.awaitOutput(id, "painted");
        Desk attached = Desk.before(HOLDER, SERVER);
        attached.enter("holdfast attach " + id);
        attached.shows("^painted");

        return new Story(
                "it comes back when the server does",
                () -> {
                    attached.shows("the server is away");
                    attached.type("typed meanwhile\n");
                },
                () -> {
                    attached.shows("^painted\ntyped meanwhile\ngot typed meanwhile");
                    attached.type("\n");
                    attached.shows(id + " failed \\(4\\)");
                    attached.isUsual();
                });
    }

    private Story itIsLeftToo() {
        String id = terminal("echo painted; exec cat");
        calls.awaitOutput(id, "painted");
        Desk attached = Desk.before(HOLDER, SERVER);
        attached.enter("holdfast attach " + id);
        attached.shows("^painted");

        return new Story(
                "it is left too",
                () -> {
                    attached.shows("the server is away");
                    attached.type(LEAVE);
                    attached.shows("runs on");
                },
                attached::isUsual);
    }

    private Story runGoesOn() {
        Desk running = Desk.before(HOLDER, SERVER);
        running.enter("holdfast run --new -t 'echo begun; read x; read y; echo hi $x and $y; exit 6'; echo code $?");
        running.shows("^begun");

        return new Story(
                "run goes on",
                () -> {
                    running.shows("the server is away"); // what is typed before that is lost with the connection
                    running.type("Ada\n");
                },
                () -> {
                    running.type("Grace\n");
                    running.shows("hi Ada and Grace\ncode 6");
                });
    }

    @Test
    void whatIsKilledGivesTheTerminalBack() {
        String id = terminal("echo painted; exec cat");
        calls.awaitOutput(id, "painted");
        desk.enter("holdfast attach " + id);
        desk.shows("^painted");
        terminate("attach " + id);
        desk.shows("desk>");
        desk.isUsual();
    }

    @Test
    void aLineThatIsDeniedIsSaidAndNothingIsLost() {
        String id = terminal("PS1='inner> ' exec bash --norc");
        calls.awaitOutput(id, "inner>");
        desk.enter("holdfast attach " + id);
        desk.shows("inner>");
        // Before the client reads what is typed it would be a line for the shell behind it, and denied at the desk.
        desk.calls()
                .awaitTask(
                        desk.id(),
                        task -> task.path("processes").toString().contains("/bin/java")
                                && task.path("waiting").asText().equals("input"));
        desk.type("rm -rf /\n");
        desk.shows("holdfast: .*rm -rf /");
        desk.press("ctrl-c");
        desk.shows("\\^C\ninner>");
        desk.type("echo $((6 * 7))\n");
        desk.shows("\n42\n");
    }

    @Test
    void runsInOurTerminal() {
        desk.enter("echo above; holdfast run --new -t 'stty size; read x; echo hi $x; exit 5'; echo code $?");
        desk.shows("above\n" + Desk.ROWS + " " + Desk.COLS + "\n");
        desk.type("Ada\n");
        desk.shows("above\n.*\nAda\nhi Ada\ncode 5");
        desk.isUsual();
        desk.enter("holdfast run --new -t 'echo begun; sleep 95'; echo code $?");
        desk.shows("^begun");
        desk.press("ctrl-c");
        desk.shows("code 130");
    }

    @Test
    void whatRanInOurTerminalRunsOnAndIsFoundAgain() {
        String command = "holdfast run -t 'echo begun; read x; exit 7'; echo code $?";
        desk.enter(command);
        desk.shows("^begun");
        desk.type(LEAVE);
        desk.shows("runs on: .*\ncode 0");
        String id = calls.get("/v1/tasks").json().at("/tasks/0/task_id").asText();
        desk.enter(command);
        desk.shows("^begun");
        terminate("run -t echo begun; read x; exit 7");
        desk.shows("code 143");
        desk.isUsual();
        assertThat(calls.task(id).path("status").asText()).isEqualTo("running");
        desk.enter("holdfast attach " + id);
        desk.shows("^begun");
        desk.type("\n");
        desk.shows("failed \\(7\\)");
    }

    /** On standard error alone, and not a line of it is left where the answer stands. */
    @Test
    void aWaitSaysForWhatAndSinceWhen() {
        String id = calls.start("exec sleep 96");
        desk.enter("holdfast wait " + id + " >/dev/null; echo over");
        desk.shows("^waiting for " + id + " until it has ended \\([1-9][0-9]* s\\)\n");

        calls.stop(id, "force", true);

        desk.shows("^over\n");
    }

    @Test
    void aWaitThatIsInterruptedLeavesNoHalfALine() {
        String id = calls.start("exec sleep 96");
        desk.enter("holdfast wait " + id);
        desk.shows("^waiting for " + id);

        desk.press("ctrl-c");

        desk.shows("^desk>");
    }

    /** As behind {@code env} or {@code sudo}. */
    @Test
    void filesAreCompletedBehindRun() {
        desk.enter("source <(holdfast completion bash); touch completed-here; echo sourced");
        desk.shows("^sourced");
        desk.type("holdfast run cat completed-h\t");
        desk.shows("run cat completed-here");
    }

    @Test
    void whatCannotBeShownIsSaidWithARemedy() {
        String id = terminal("exec cat");
        desk.enter("holdfast attach " + calls.start("sleep 96"));
        desk.shows("has no terminal\nholdfast logs -f");
        desk.enter("holdfast attach "
                + calls.awaitEnd(terminal("true")).path("task_id").asText());
        desk.shows("has ended\nholdfast screen");
        for (String broken : List.of("</dev/null", "| cat")) {
            desk.enter("holdfast attach " + id + " " + broken);
            desk.shows("is no terminal\n");
        }
        desk.enter("TERM=dumb holdfast attach " + id);
        desk.shows("TERM is dumb");
        desk.enter("TERM= holdfast run -t true");
        desk.shows("TERM is not set");
        desk.enter("holdfast attach --detach-key f12 " + id + "; echo code $?");
        desk.shows("'f12' is no key");
        desk.type("stty rows 0 cols 0; holdfast attach " + id + "\n");
        desk.shows("has no size");
    }
}
