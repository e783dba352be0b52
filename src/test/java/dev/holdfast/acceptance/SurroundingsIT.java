package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.acceptance.Cli.Ran;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The command where it is started otherwise than from a terminal of one's own: by cron, a unit, a container. */
@Timeout(180)
class SurroundingsIT {
    @RegisterExtension
    static final PackagedServer SERVER =
            new PackagedServer().with("LC_ALL", "C").startedByScript();

    private static final String UE = "ue=$'\\xc3\\xbc'; ";

    @TempDir
    private Path folder = Path.of("");

    /** The script is {@code $0}; bytes are written as bash writes them. */
    private Ran bash(String text) throws Exception {
        List<String> words = new ArrayList<>(List.of("bash", "-c", text, Cli.SCRIPT));
        return Cli.finish(SERVER.command(List.of())
                .directory(folder.toFile())
                .command(words)
                .start());
    }

    @Test
    void wordsAreUtf8InWhateverLocale() throws Exception {
        assertThat(bash(UE + "LC_ALL= LANG=xx_XX.ISO-8859-1 \"$0\" run --new printf '%s\n' $ue")
                        .text())
                .isEqualTo("ü\n");
        String run = UE + "LC_ALL=C \"$0\" run --new ";
        assertThat(bash(run + "\"printf $ue | xxd -p\"").text()).isEqualTo("c3bc\n");
        assertThat(bash(run + "-l of=$ue -e A=$ue 'printf \"%s\n\" \"$A\"'; \"$0\" ps -a -q -l of=ü | wc -l")
                        .text())
                .startsWith("ü\n")
                .doesNotEndWith("\n0\n");
        assertThat(bash(UE + "mkdir -p $ue && cd $ue && LC_ALL=C \"$0\" run --new pwd")
                        .text())
                .endsWith("/ü\n");
        Ran sent = bash(UE + "export LC_ALL=C; id=$(\"$0\" run -d --new -i 'read x; echo got $x');"
                + " \"$0\" send $id $ue --enter; \"$0\" wait $id; \"$0\" search $id got.$ue");
        assertThat(sent.text()).as(sent.err()).endsWith("1:got ü\n");
    }

    @Test
    void whatIsNotUtf8IsRefused() throws Exception {
        Ran refused = bash("\"$0\" run --new printf '%s\\n' $'\\xff'");
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.text()).isEmpty();
        assertThat(refused.err()).contains("UTF-8");
        assertThat(bash("\"$0\" run --new printf '%s\\n' $'\\xef\\xbf\\xbd'").text())
                .isEqualTo("\ufffd\n");
    }

    /** The server needs another one for itself. */
    @Test
    void commandsHaveTheLocaleThatTheServerWasGiven() throws Exception {
        String asked = "env | grep -E '^(LC_|HOLDFAST_LC)'";
        assertThat(SERVER.calls().run(asked).completed().text("/stdout_preview"))
                .isEqualTo("LC_ALL=C\n");
        SERVER.calls().run("true", "tty", true).completed();
        assertThat(SERVER.calls().run(asked, "tty", true).completed().text("/stdout_preview"))
                .isEqualTo("LC_ALL=C\n");
    }

    /** Which need not be that of the user's entry in passwd. */
    @Test
    void theDataFolderIsInTheHomeThatIsSet() throws Exception {
        Ran ran = bash("""
                export HOME=$PWD QUARKUS_HTTP_PORT=%d; unset HOLDFAST_DATA_DIR
                "$0" serve > log 2>&1 & server=$!
                until grep -q Listening log; do sleep 0.05; kill -0 $server || break; done
                "$0" doctor; kill $server; wait $server""".formatted(PackagedServer.freePort()));
        assertThat(ran.text())
                .as(ran.err())
                .contains("data folder  " + folder.toRealPath() + "/.holdfast, rwx", " is ready at ");
    }

    @Test
    void whatIsClosedIsAsEmptyAsNull() throws Exception {
        assertThat(bash("\"$0\" run --new -i 'wc -c' <&-").text().strip()).isEqualTo("0");
        for (String closed : List.of(">&-", "2>&-", "<&- >&- 2>&-")) {
            assertThat(bash("\"$0\" run --new 'echo out; echo err >&2; exit 3' " + closed)
                            .exit())
                    .as(closed)
                    .isEqualTo(3);
        }
        Ran mcp = bash("\"$0\" mcp <&-");
        assertThat(mcp.exit()).as(mcp.err()).isZero();
    }

    @Test
    void aFolderThatIsGoneIsSaidToBe() throws Exception {
        Ran gone = bash("mkdir gone; cd gone; rmdir ../gone; \"$0\" ps");
        assertThat(gone.exit()).isEqualTo(1);
        assertThat(gone.err()).endsWith("holdfast: this folder is gone: cd to another one.\n");
    }

    /** The JVM would print its threads. */
    @Test
    void aQuitPrintsNothing() throws Exception {
        Ran ran = bash(
                "mkfifo fifo; \"$0\" run --new 'echo begun; read x < fifo; echo over' > out 2>&1 & run=$!;"
                        + " until grep -q begun out; do sleep 0.05; done; kill -QUIT $run; echo > fifo; wait $run; echo $?; cat out");
        assertThat(ran.text()).isEqualTo("0\nbegun\nover\n");
    }

    @Test
    void aTokenThatIsMissingIsNoServerThatIs() throws Exception {
        String named = "export HOLDFAST_DATA_DIR=$PWD/none; \"$0\" --url http://127.0.0.1:" + SERVER.port();
        for (String command : List.of(" ps", " doctor")) {
            Ran ran = bash(named + command);
            assertThat(ran.exit()).as(ran.err()).isEqualTo(1);
            assertThat(ran.text() + ran.err())
                    .contains("a token is missing: ", "/none/token", "--token or HOLDFAST_TOKEN")
                    .doesNotContain("no server", "none answers");
        }
        assertThat(bash(named + " --token " + SERVER.token() + " ps").exit()).isZero();
    }

    @Test
    void mcpTakesTheOptionsThatStandBeforeIt() throws Exception {
        String asked = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}";
        Ran ran =
                bash("export HOLDFAST_DATA_DIR=$PWD/none; echo '" + asked + "' | \"$0\" --json --url http://127.0.0.1:"
                        + SERVER.port() + " --token " + SERVER.token() + " mcp --profile codex");
        assertThat(ran.exit()).as(ran.err()).isZero();
        assertThat(ran.text()).contains("\"id\":7");
    }

    @Test
    void aServerThatCannotNameFilesSaysSo() throws Exception {
        var server = new PackagedServer().with("LC_ALL", "C");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Path lib = Path.of(Cli.SCRIPT).resolve("../../lib").normalize();
        server.startedBy( // as the script does, which would set another locale
                java,
                "-XX:AOTCache=" + lib.resolve("holdfast.aot"),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-jar",
                lib.resolve("quarkus-run.jar").toString());
        try {
            server.beforeAll();
            assertThat(server.log()).contains("names beyond ASCII cannot be used", "LC_ALL=C.UTF-8");
        } finally {
            server.afterAll();
        }
        assertThat(SERVER.log()).doesNotContain("beyond ASCII");
    }
}
