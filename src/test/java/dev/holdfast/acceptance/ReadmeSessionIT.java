package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The README's first session, run as it stands: each block of commands between its markers in one shell, and what it
 * prints held against the block of text below it. A {@code …} there stands for anything in its line, and a line of
 * nothing else for any lines.
 */
class ReadmeSessionIT {
    private static final Pattern SESSION = Pattern.compile("<!-- session -->(.*)<!-- /session -->", Pattern.DOTALL);
    private static final Pattern STEP = Pattern.compile("```sh\n(.*?)```\\s+```text\n(.*?)```", Pattern.DOTALL);
    private static final String END_OF_STEP = "--- end of step ---";

    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer()
            .with("HOLDFAST_WORKSPACE", Path.of("").toAbsolutePath().toString())
            .with("HOLDFAST_OUTPUT_MAX_BYTES", "268435456");

    private record Step(String commands, String printed) {}

    @Test
    void printsWhatTheReadmeSays() throws Exception {
        List<Step> steps = steps(Files.readString(Path.of("README.md")));
        String webPort = Integer.toString(PackagedServer.freePort());
        String script = steps.stream()
                .map(step -> step.commands() + "\necho '" + END_OF_STEP + "'\n")
                .collect(Collectors.joining())
                .replaceAll("\\b7420\\b", Integer.toString(SERVER.port()))
                .replaceAll("\\b8765\\b", webPort); // the server's own may end in these digits

        String[] printed = bash(script).split(END_OF_STEP + "\n", -1);

        assertThat(printed).as(() -> String.join(END_OF_STEP, printed)).hasSize(steps.size() + 1);
        for (int i = 0; i < steps.size(); i++) {
            String expected = steps.get(i).printed().replace("8765", webPort);
            assertThat(printed[i].strip()).as(steps.get(i).commands()).matches(asPattern(expected.strip()));
        }
    }

    private static List<Step> steps(String readme) {
        Matcher session = SESSION.matcher(readme);
        assertThat(session.find()).isTrue();
        var steps = new ArrayList<Step>();
        for (Matcher step = STEP.matcher(session.group(1)); step.find(); ) {
            steps.add(new Step(step.group(1), step.group(2)));
        }
        assertThat(steps).hasSizeGreaterThan(8);
        assertThat(session.group(1).split("```sh\n", -1))
                .as("each block says what it prints")
                .hasSize(steps.size() + 1);
        return steps;
    }

    private static Pattern asPattern(String text) {
        String pattern = text.lines()
                .map(line -> line.equals("…") ? "(?s:.*)" : withGaps(line))
                .collect(Collectors.joining("\\n"));
        return Pattern.compile(pattern.replace("\\n(?s:.*)\\n", "\\n(?s:.*?)"));
    }

    private static String withGaps(String line) {
        return Stream.of(line.split("…", -1)).map(Pattern::quote).collect(Collectors.joining("[^\\n]*"));
    }

    /** With a home folder in which the server's data is where it is by default. */
    private static String bash(String script) throws IOException, InterruptedException {
        Path home = Files.createDirectories(SERVER.workspace().resolve("home"));
        Files.createSymbolicLink(home.resolve(".holdfast"), SERVER.data());
        var builder = new ProcessBuilder("bash", "-euo", "pipefail", "-c", script).redirectErrorStream(true);
        builder.environment().put("HOME", home.toString());
        builder.environment().put(PackagedServer.MARKER, SERVER.marker());
        Process process = builder.start();
        process.getOutputStream().close();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
        return printed;
    }
}
