package dev.holdfast.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.terminal.Page;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is told of the words alone, of many lines in one process: one each costs a third of a second of a processor. No
 * server is there, so what asked for one would exit with 69.
 */
class CommandsTest {
    private static final char END = '\0';
    private static final List<List<String>> LINES = new ArrayList<>();

    private static final List<List<String>> HELP = asked(
            "help",
            "--help",
            "-h",
            "help run",
            "help signal",
            "help serve",
            "help mcp",
            "token --help",
            "help token add");
    private static final List<List<String>> WRONG =
            asked("stauts", "", "run", "token add", "--url foo ps -l a=b", "run --timeout soon true", "help stauts");
    private static final List<List<String>> NOT_HONOURED = asked(
            "run --until-port 99999 sleep",
            "run -d --until-port 80 sleep",
            "run --json -i sleep",
            "logs -f --json task_x",
            "logs -n -3 task_x",
            "search -n 201 task_x a",
            "attach --json task_x",
            "send task_x",
            "run -e secret true",
            "ps -l =secret",
            "wait --port 0 task_x");
    private static final List<List<String>> QUOTED =
            asked("run -e A=b\"secret true", "ps -l A=\"secret", "token add x -l A='\"secret");

    private static final List<Told> TOLD = new ArrayList<>();

    private record Told(String exit, String out, String err) {}

    private static List<List<String>> asked(String... lines) {
        List<List<String>> asked = Arrays.stream(lines)
                .map(line -> line.isEmpty() ? List.<String>of() : List.of(line.split(" ", -1)))
                .toList();
        LINES.addAll(asked);
        return asked;
    }

    /** The other process: a line of words in each argument. */
    static final class Each {
        private Each() {}

        public static void main(String... lines) {
            for (String line : lines) {
                String[] words = line.isEmpty() ? new String[0] : line.split(" ", -1);
                int code = Commands.line(words).execute(words);
                Page.write(Page.OUT, (code + "" + END).getBytes(UTF_8));
                Page.write(Page.ERR, String.valueOf(END).getBytes(UTF_8));
            }
        }
    }

    private static List<String> each() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Each.class.getName());
    }

    @BeforeAll
    static void ask(@TempDir Path folder) throws Exception {
        List<String> argv = new ArrayList<>(each());
        LINES.forEach(words -> argv.add(String.join(" ", words)));
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        var builder = new ProcessBuilder(argv).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("HOLDFAST_"));
        builder.environment().put("HOLDFAST_URL", "http://127.0.0.1:1");
        builder.environment().put("HOLDFAST_TOKEN", "x");
        assertThat(builder.start().waitFor()).as(Files.readString(err)).isZero();
        String[] outs = Files.readString(out).split(String.valueOf(END), -1);
        String[] errs = Files.readString(err).split(String.valueOf(END), -1);
        for (int i = 0; i < LINES.size(); i++) {
            int code = outs[i].length() - (outs[i].endsWith("69") ? 2 : 1);
            TOLD.add(new Told(outs[i].substring(code), outs[i].substring(0, code), errs[i]));
        }
    }

    private static Told told(List<String> words) {
        return TOLD.get(LINES.indexOf(words));
    }

    private static void all(List<List<String>> lines, String exit, Consumer<Told> check) {
        for (List<String> words : lines) {
            Told told = told(words);
            assertThat(told.exit()).as(words + ": " + told.err()).isEqualTo(exit);
            check.accept(told);
        }
    }

    @Test
    void helpIsWhatWasAskedFor() {
        all(HELP, "0", told -> assertThat(told.out()).startsWith("Usage: holdfast "));
        for (List<String> words : HELP.subList(0, 3)) {
            assertThat(told(words).out()).contains("run", "logs", "wait", "serve", "mcp", "completion");
        }
        assertThat(told(List.of("help", "run")).out()).contains("--until-port");
        assertThat(told(List.of("help", "signal")).out()).contains("WINCH");
        assertThat(told(List.of("help", "stauts")).err()).contains("there is no command stauts", "holdfast status");
    }

    @Test
    void wrongWordsAreWrongUsageWithTheNearestOne() {
        all(WRONG, "2", told -> assertThat(told.out()).isEmpty());
        assertThat(told(List.of("stauts")).err()).isEqualTo("""
                        holdfast: there is no command stauts
                        Did you mean: holdfast status or holdfast stop or holdfast audit?
                        Read on: holdfast help
                        """);
        assertThat(told(List.of()).err()).contains("Usage: holdfast", "attach", "doctor");
        assertThat(told(List.of("token", "add")).err()).endsWith("Read on: holdfast help token add\n");
        assertThat(told(List.of("run", "--timeout", "soon", "true")).err())
                .contains("'--timeout': 'soon' is no duration: write 500ms")
                .doesNotContain("Usage");
    }

    @Test
    void whatCannotBeHonouredIsWrongUsageAndStartsNothing() {
        all(NOT_HONOURED, "2", told -> {
            assertThat(told.err()).startsWith("holdfast: ");
            assertThat(told.out()).isEmpty();
        });
    }

    /** What it can be used for is tried, and it is shown to nobody. */
    @Test
    void aQuoteInAValueIsNotTold() {
        all(QUOTED, "69", told -> assertThat(told.err()).doesNotContain("secret"));
        all(NOT_HONOURED, "2", told -> assertThat(told.err()).doesNotContain("secret"));
    }

    /** The server is asked for no other folder in its place. */
    @Test
    void aFolderWhoseNameIsNotUtf8IsSaidToBeThat(@TempDir Path folder) throws Exception {
        List<String> argv =
                new ArrayList<>(List.of("bash", "-c", "mkdir $'\\xff'; cd $'\\xff' && exec \"$@\"", "bash"));
        argv.addAll(each());
        argv.addAll(List.of("run true", "run -w / true"));
        Path err = folder.resolve("err");
        var builder = new ProcessBuilder(argv).directory(folder.toFile()).redirectError(err.toFile());
        builder.environment().putAll(Map.of("LC_ALL", "C.UTF-8", "HOLDFAST_URL", "http://127.0.0.1:1"));
        builder.environment().put("HOLDFAST_TOKEN", "x");

        assertThat(builder.start().waitFor()).isZero();
        String[] errs = Files.readString(err).split(String.valueOf(END), -1);
        assertThat(errs[0]).startsWith("holdfast: the name of the current folder is not UTF-8");
        assertThat(errs[1]).startsWith("holdfast: no server");
    }
}
