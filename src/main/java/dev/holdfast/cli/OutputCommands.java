package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.task.Follow;
import dev.holdfast.cli.terminal.Page;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What a task has printed. */
final class OutputCommands {
    private OutputCommands() {}

    @Command(name = "logs", description = "Prints what a task printed, each stream to its own.")
    static final class Logs extends Remote {
        @Option(names = "-f", description = "and what it prints until it ends")
        boolean follow;

        @Option(names = "-n", paramLabel = "N", description = "the last so many lines of each stream alone")
        @Nullable
        Long lines;

        @Option(names = "--stderr", description = "what went to its standard error alone, to our standard output")
        boolean errors;

        @Parameters(paramLabel = "ID")
        String beginning = "";

        @Override
        int run() throws IOException, InterruptedException {
            refuse(lines != null && lines < 0, "-n: how many lines is 0 or more");
            refuse(
                    json() && (follow || lines != null),
                    "--json is one answer of the server, with its cursors: it goes without -f and -n");
            String id = id(beginning);
            if (json()) {
                Page.json(api.get("/v1/tasks/" + id + "/output" + (errors ? "?stream=stderr" : "")));
                return 0;
            }
            Follow output = new Follow(api, id);
            boolean terminal = task(id).at("/command/tty").asBoolean();
            long stdout = lines == null || errors ? 0 : output.tail("stdout", lines);
            long stderr = lines == null || terminal ? 0 : output.tail("stderr", lines);
            if (errors) {
                output.stream("stderr", stderr, follow, Page.OUT);
            } else {
                output.both(terminal, follow, stdout, stderr);
            }
            return 0;
        }
    }

    @Command(name = "search", description = "Finds lines in what a task printed; exits with 1 where there are none.")
    static final class Search extends Remote {
        @Parameters(index = "0", paramLabel = "ID")
        String beginning = "";

        @Parameters(index = "1", paramLabel = "RE")
        String pattern = "";

        @Option(names = "-n", paramLabel = "N", description = "at most so many")
        int most = 200;

        @Override
        int run() throws IOException, InterruptedException {
            refuse(most < 1 || most > 200, "-n: how many lines is 1 to 200");
            JsonNode answer = api.having(
                    api.get("/v1/tasks/" + id(beginning) + "/output/search?context=0&max=" + most + "&pattern="
                            + Api.encoded(pattern)),
                    "matches");
            JsonNode matches = answer.path("matches");
            if (!asJson(answer)) {
                for (JsonNode match : matches) {
                    String stream = match.path("stream").asText().equals("stderr") ? "stderr:" : "";
                    Page.output(stream + match.path("line").asLong() + ":"
                            + match.path("text").asText());
                }
                if (answer.path("more").asBoolean()) {
                    Page.note("there are more");
                }
            }
            return matches.isEmpty() ? 1 : 0;
        }
    }

    @Command(name = "screen", description = "Prints a terminal's screen as it is now, without the empty lines below.")
    static final class Screen extends Remote {
        @Parameters(paramLabel = "ID")
        String beginning = "";

        @Override
        int run() throws IOException, InterruptedException {
            JsonNode screen = api.having(api.get("/v1/tasks/" + id(beginning) + "/screen"), "lines");
            if (asJson(screen)) {
                return 0;
            }
            JsonNode lines = screen.path("lines");
            int used = lines.size();
            while (used > 0 && lines.path(used - 1).asText().isBlank()) {
                used--;
            }
            for (int line = 0; line < used; line++) {
                Page.output(lines.path(line).asText());
            }
            return 0;
        }
    }
}
