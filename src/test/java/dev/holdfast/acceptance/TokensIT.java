package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What everyday work costs a model: calls, and tokens of their names, arguments and texts. With Holdfast as a client
 * that asks for no progress, whose calls wait 55 s at most; and with a plain shell tool, whose start answers at once
 * and whose poll, 5 s after the last, answers with what was printed since then, cut to 30,000 characters. Time is
 * simulated: a program goes on when the test says so, and a call over MCP that waits for 55 s waits for 0.3.
 */
class TokensIT {
    private static final Path README = Path.of("README.md");
    private static final Encoding TOKENS =
            Encodings.newDefaultEncodingRegistry().getEncoding(EncodingType.O200K_BASE);
    private static final int POLL_SECONDS = 5;
    private static final int WINDOW_SECONDS = 10;
    private static final int LONGEST_WAIT_SECONDS = 55;
    private static final int MOST_CHARACTERS = 30_000;

    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer().with("HOLDFAST_MCP_LONGEST_WAIT", "0.3s");

    /** Calls, and the tokens of both their sides. */
    private static final class Bill {
        private int calls;
        private int tokens;

        void add(String call, String answer) {
            calls++;
            tokens += TOKENS.countTokens(call) + TOKENS.countTokens(answer);
        }
    }

    /** A row of the table. */
    private record Row(String work, Bill holdfast, Bill shell) {
        @Override
        public String toString() {
            return "| " + work + " | " + holdfast.calls + " | " + holdfast.tokens + " | " + shell.calls + " | "
                    + shell.tokens + " |";
        }
    }

    private static String call(Bill bill, String tool, Map<String, Object> input) {
        return call(bill, tool, input, Map.of());
    }

    /** @param clock what stands for time that passes, and is not on the bill */
    private static String call(Bill bill, String tool, Map<String, Object> input, Map<String, Object> clock) {
        Map<String, Object> all = new LinkedHashMap<>(input);
        all.putAll(clock);
        String text = SERVER.calls()
                .post("/v1/tools/" + tool, all)
                .hasStatus(200)
                .at("/text")
                .asText();
        bill.add(tool + " " + Json.write(input), text);
        return text;
    }

    private static String task(String text) {
        return text.lines()
                .filter(line -> line.startsWith("Task: "))
                .findFirst()
                .orElseThrow(() -> new AssertionError(text))
                .substring("Task: ".length());
    }

    private static void start(Bill bill, String command) {
        bill.add("shell " + Json.write(Map.of("command", command, "background", true)), "Started as 1.");
    }

    private static void poll(Bill bill, String printed, String status) {
        String cut = printed.length() <= MOST_CHARACTERS
                ? printed
                : printed.substring(0, MOST_CHARACTERS / 2) + "\n[...]\n"
                        + printed.substring(printed.length() - MOST_CHARACTERS / 2);
        bill.add("poll " + Json.write(Map.of("id", 1)), cut + status);
    }

    @Test
    void theReadmeSaysWhatItCosts() throws IOException {
        List<Row> rows = List.of(devServer(), failingBuild(), prompt(), longBuild());
        String table = rows.stream().map(Row::toString).collect(Collectors.joining("\n"));
        System.out.println(table);
        String readme = Files.readString(README);
        for (Row row : rows) {
            var told = Pattern.compile(
                            "\\| " + Pattern.quote(row.work()) + " \\| (\\d+) \\| (\\d+) \\| (\\d+) \\| (\\d+) \\|")
                    .matcher(readme);
            assertThat(told.find()).as("README.md needs these rows:%n%s", table).isTrue();
            List<Integer> seen =
                    List.of(row.holdfast().calls, row.holdfast().tokens, row.shell().calls, row.shell().tokens);
            for (int i = 0; i < seen.size(); i++) {
                assertThat(seen.get(i).doubleValue())
                        .as("%s, figure %d of README.md; measured:%n%s", row.work(), i + 1, table)
                        .isBetween(
                                0.9 * Integer.parseInt(told.group(i + 1)), 1.1 * Integer.parseInt(told.group(i + 1)));
            }
        }
    }

    private static Path script(String name, String text) throws IOException {
        Path script = Files.writeString(SERVER.workspace().resolve(name), text);
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return script;
    }

    /** Ready after 8 s. */
    private Row devServer() throws IOException {
        int port = PackagedServer.freePort();
        String early = "\n> shop@1.4.0 dev\n> vite\n\n";
        String ready = "  VITE v7.1.2  ready in 7812 ms\n\n  ->  Local:   http://localhost:" + port + "/\n";
        script("dev", """
                #!/usr/bin/env python3
                import http.server
                print('''%s''', end="", flush=True)
                http.server.HTTPServer(("127.0.0.1", %d), http.server.BaseHTTPRequestHandler).serve_forever()
                """.formatted(early + ready, port));
        Bill ours = new Bill();
        String receipt = call(
                ours,
                "ExecCommand",
                Json.object("cmd", "./dev", "yield_time_ms", 60_000, "yield_when", Map.of("port_open", port)));
        assertThat(receipt).contains("ready in");
        SERVER.calls().stop(task(receipt), "force", true);
        Bill theirs = new Bill();
        start(theirs, "./dev");
        poll(theirs, early, "(running)");
        poll(theirs, ready, "(running)");
        return new Row("a dev server, until it is ready", ours, theirs);
    }

    /** 60 s, 20 MB, 30 errors of which the first is what counts; the plain shell keeps a log to look for it in. */
    private Row failingBuild() throws IOException {
        List<String> lines = IntStream.range(0, 250_000)
                .mapToObj(i -> i % 8_000 == 4_000
                        ? "src/module%03d/Unit%06d.c:17:5: error: expected ';' before 'return'".formatted(i % 500, i)
                        : "[%6d/250000] cc -O2 -Wall -c src/module%03d/Unit%06d.c -o out/Unit%06d.o"
                                .formatted(i, i % 500, i, i))
                .toList();
        String log = String.join("\n", lines) + "\n";
        Files.writeString(SERVER.workspace().resolve("failing.log"), log);
        int sixth = lines.size() * WINDOW_SECONDS / 60;
        script("failing", """
                #!/bin/sh
                head -n %d failing.log
                read -r later < failing.go
                tail -n +%d failing.log
                exit 1
                """.formatted(sixth, sixth + 1));
        Bill ours = new Bill();
        fifo("failing.go");
        String id = task(call(
                ours,
                "ExecCommand",
                Json.object("cmd", "./failing", "max_output_tokens", 500),
                after(lines.get(sixth - 1))));
        go("failing.go", "go\n");
        SERVER.calls().awaitTask(id, task -> !task.path("ended_at").isNull());
        String found =
                call(ours, "TaskOutput", Json.object("task_id", id, "pattern", "(?i)error", "max_output_tokens", 100));
        assertThat(found).contains("Unit004000.c:17:5: error", "Exit status: 1");
        Bill theirs = new Bill();
        start(theirs, "./failing 2>&1 | tee build.log; exit ${PIPESTATUS[0]}");
        int polls = 60 / POLL_SECONDS;
        for (int i = 0; i < polls; i++) {
            List<String> part = lines.subList(i * lines.size() / polls, (i + 1) * lines.size() / polls);
            poll(theirs, String.join("\n", part), i < polls - 1 ? "(running)" : "(exit code 1)");
        }
        theirs.add(
                "shell " + Json.write(Map.of("command", "grep -n -i -m 1 -C 2 error build.log")),
                String.join("\n", lines.subList(3_998, 4_003)));
        return new Row("a failing build with a log of 20 MB, to its first error", ours, theirs);
    }

    private Row prompt() throws IOException {
        String question =
                "The following NEW packages will be installed:\n  libfoo2 libfoo-dev\nDo you want to continue? [Y/n] ";
        String after = "Setting up libfoo2 (2.1-3) ...\nSetting up libfoo-dev (2.1-3) ...\n";
        script("install", "#!/bin/sh\nprintf '%s'\nread yes\nprintf '%s'\n".formatted(question, after));
        Bill ours = new Bill();
        String asked = call(
                ours,
                "ExecCommand",
                Json.object("cmd", "./install", "tty", true, "yield_when", Map.of("needs_input", true)),
                Map.of("yield_time_ms", 60_000));
        assertThat(asked).contains("continue?");
        String done = call(ours, "TaskInput", Json.object("task_id", task(asked), "input", "y\n", "wait_ms", 10_000));
        assertThat(done).contains("libfoo-dev (2.1-3)", "Completed");
        Bill theirs = new Bill();
        start(theirs, "./install");
        poll(theirs, question, "(running)");
        theirs.add("write " + Json.write(Map.of("id", 1, "input", "y\n")), "Written.");
        poll(theirs, "y\n" + after, "(exit code 0)");
        return new Row("a question, answered", ours, theirs);
    }

    /** A line a second for 10 minutes. */
    private Row longBuild() throws IOException {
        List<String> lines = IntStream.range(0, 600)
                .mapToObj(i -> "[%3d/600] Compiling crate_%03d v0.%d.%d (/srv/app/crates/crate_%03d)"
                        .formatted(i, i, i % 40, i % 7, i))
                .toList();
        script("long", """
                #!/bin/sh
                exec 3<> long.go
                cat long.first
                while read -r line <&3 && [ "$line" != end ]; do echo "$line"; done
                """);
        Files.writeString(SERVER.workspace().resolve("long.first"), printed(lines, 0, WINDOW_SECONDS));
        fifo("long.go");
        Bill ours = new Bill();
        String id = task(call(ours, "ExecCommand", Json.object("cmd", "./long"), after(lines.get(WINDOW_SECONDS - 1))));
        McpClient client = McpClient.of(SERVER);
        Map<String, Object> input = Json.object("task_id", id, "timeout_ms", 600_000, "max_output_tokens", 100);
        String text = "";
        for (int at = WINDOW_SECONDS; at < lines.size(); at += LONGEST_WAIT_SECONDS) {
            int until = Math.min(lines.size(), at + LONGEST_WAIT_SECONDS);
            go("long.go", printed(lines, at, until) + (until == lines.size() ? "end\n" : ""));
            SERVER.calls().awaitOutput(id, lines.get(until - 1));
            SERVER.calls()
                    .awaitTask(
                            id,
                            task -> until < lines.size()
                                    || !task.path("ended_at").isNull());
            text = client.call("TaskOutput", input).at("/content/0/text").asText();
            ours.add("TaskOutput " + Json.write(input), text);
        }
        assertThat(text).contains("Completed", "crate_599");
        Bill theirs = new Bill();
        start(theirs, "./long");
        for (int at = 0; at < lines.size(); at += POLL_SECONDS) {
            boolean last = at + POLL_SECONDS == lines.size();
            poll(theirs, printed(lines, at, at + POLL_SECONDS), last ? "(exit code 0)" : "(running)");
        }
        return new Row("a build of 10 minutes, followed to its end", ours, theirs);
    }

    /** The yield window is over when this line was printed. */
    private static Map<String, Object> after(String line) {
        return Map.of("yield_time_ms", 60_000, "yield_when", Map.of("output_matches", Pattern.quote(line)));
    }

    private static String printed(List<String> lines, int from, int to) {
        return lines.subList(from, to).stream().map(line -> line + "\n").collect(Collectors.joining());
    }

    private static void fifo(String name) throws IOException {
        Process made =
                new ProcessBuilder("mkfifo", SERVER.workspace().resolve(name).toString()).start();
        assertThat(made.onExit().join().exitValue()).isZero();
    }

    /** Waits until the program has opened the other end. */
    private static void go(String name, String text) throws IOException {
        Files.writeString(SERVER.workspace().resolve(name), text, StandardOpenOption.WRITE);
    }
}
