package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.task.Words;
import dev.holdfast.cli.terminal.OurTerminal;
import dev.holdfast.cli.terminal.Page;
import dev.holdfast.cli.terminal.Plain;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What is asked of a task, and done to it. */
final class TaskCommands {
    private TaskCommands() {}

    @Command(name = "ps", description = "Lists what runs.")
    static final class Ps extends Remote {
        @Option(names = "-a", description = "also what has ended")
        boolean all;

        @Option(names = "-q", description = "ids alone")
        boolean quiet;

        @Option(names = "-l", paramLabel = "K=V", description = "with this label alone")
        List<String> labels = new ArrayList<>();

        @Override
        int run() throws IOException, InterruptedException {
            var filter = new StringBuilder(all ? "status=all" : "status=active");
            pairs("-l", labels)
                    .forEach((key, value) -> filter.append("&label=").append(Api.encoded(key + "=" + value)));
            if (json()) {
                Page.json(whole(filter.toString()));
                return 0;
            }
            JsonNode tasks = whole(filter.toString()).path("tasks");
            if (quiet) {
                tasks.forEach(task -> Page.line(task.path("task_id").asText()));
                return 0;
            }
            var table = new Page.Table("TASK", "STATUS", "STARTED", "PORTS", "COMMAND");
            for (JsonNode task : tasks) {
                String waits = task.path("waiting").asText().equals("input") ? ", waits for input" : "";
                table.row(
                        task.path("task_id").asText(),
                        Words.status(task) + waits,
                        Words.ago(task.path("created_at")),
                        Page.joined(task.path("ports")),
                        Words.command(task));
            }
            table.print(OurTerminal.columns());
            return 0;
        }
    }

    @Command(name = "status", description = "Tells of one task.")
    static final class Status extends Remote {
        @Parameters(paramLabel = "ID")
        String beginning = "";

        @Override
        int run() throws IOException, InterruptedException {
            JsonNode task = looked(id(beginning));
            if (asJson(task)) {
                return 0;
            }
            line("Task", task.path("task_id").asText());
            line("Status", Words.status(task));
            line("Command", Words.command(task));
            line("Folder", task.at("/command/workdir").asText());
            line("Started", Words.ago(task.path("created_at")));
            line("Ended", Words.ago(task.path("ended_at")));
            line("Ended by", task.path("ended_by").asText(""));
            Words.cause(task).ifPresent(cause -> line("Cause", cause));
            line("Waiting", task.path("waiting").asText(""));
            line("Ports", Page.joined(task.path("ports")));
            line("Process", task.at("/process/pid").asText());
            Words.left(task).forEach(process -> line("Left", process));
            line("Output", bytes(task, "stdout") + ", " + bytes(task, "stderr"));
            Words.doubt(task).ifPresent(doubt -> line("Note", doubt));
            task.path("labels")
                    .properties()
                    .forEach(label -> line(
                            "Label", label.getKey() + "=" + label.getValue().asText()));
            return 0;
        }

        private static String bytes(JsonNode task, String stream) {
            return task.path("output").path(stream + "_bytes").asLong() + " bytes of " + stream;
        }

        private static void line(String name, String value) {
            if (!value.isEmpty() && !value.equals("null")) {
                Page.line(name + ":" + " ".repeat(10 - name.length()) + Plain.line(value));
            }
        }
    }

    @Command(name = "stop", description = "Stops tasks and all that they started.")
    static final class Stop extends Remote {
        @Option(names = "--force", description = "kill at once")
        boolean force;

        @Option(names = "--grace", paramLabel = "5s", description = "how long it may take to end by itself")
        @Nullable
        Duration grace;

        @Parameters(arity = "1..*", paramLabel = "ID")
        List<String> beginnings = new ArrayList<>();

        @Override
        int run() throws IOException, InterruptedException {
            Map<String, Object> body = new LinkedHashMap<>(Map.of("force", force));
            if (grace != null) {
                body.put("grace_ms", grace.toMillis());
            }
            return each(beginnings, beginning -> stopped(id(beginning), body));
        }

        private boolean stopped(String id, Map<String, Object> body) throws IOException, InterruptedException {
            JsonNode answer = api.having(api.post("/v1/tasks/" + id + "/stop", body), "task", "survivors");
            String survivors = Page.joined(answer.path("survivors"));
            if (!asJson(answer)) {
                Page.line(id + " " + Words.status(answer.path("task")));
            }
            if (!survivors.isEmpty()) {
                Page.note("these processes could not be ended: " + survivors);
            } else if (answer.at("/task/left_running").size() > 0) {
                Page.note(answer.path("summary_text").asText());
            }
            return survivors.isEmpty();
        }
    }

    @Command(name = "signal", description = "Sends a signal to a task's processes.")
    static final class Signal extends Remote {
        @Parameters(
                index = "0",
                paramLabel = "SIG",
                description = "INT, TERM, HUP, QUIT, USR1, USR2, KILL, STOP, CONT, WINCH")
        String signal = "";

        @Parameters(index = "1", paramLabel = "ID")
        String beginning = "";

        @Override
        int run() throws IOException, InterruptedException {
            String name = signal.toUpperCase(Locale.ROOT).replaceFirst("^SIG", "");
            JsonNode answer =
                    api.having(api.post("/v1/tasks/" + id(beginning) + "/signal", Map.of("signal", name)), "task_id");
            asJson(answer);
            return 0;
        }
    }

    @Command(name = "rm", description = "Forgets tasks that have ended, and their output.")
    static final class Rm extends Remote {
        @Parameters(arity = "1..*", paramLabel = "ID")
        List<String> beginnings = new ArrayList<>();

        @Override
        int run() throws IOException, InterruptedException {
            return each(beginnings, beginning -> {
                String id = id(beginning);
                api.delete("/v1/tasks/" + id);
                asJson(Api.JSON.createObjectNode().put("task_id", id));
                return true;
            });
        }
    }

    @Command(name = "send", description = "Types into a task.")
    static final class Send extends Remote {
        @Option(names = "--enter", description = "and the enter key")
        boolean[] enters = {};

        @Option(names = "--key", paramLabel = "K", description = "ctrl-c, up, …; of a terminal alone")
        List<String> keys = new ArrayList<>();

        @Option(names = "--eof", description = "and the end of its input")
        boolean eof;

        @Parameters(index = "0", paramLabel = "ID")
        String beginning = "";

        @Parameters(
                index = "1..*",
                arity = "0..*",
                paramLabel = "TEXT",
                description = "after -- also what begins with -")
        List<String> words = new ArrayList<>();

        @Override
        int run() throws IOException, InterruptedException {
            boolean enter = enters.length > 0;
            refuse(
                    words.isEmpty() && keys.isEmpty() && !enter && !eof,
                    "nothing is to be sent: write a TEXT, or --enter, --key or --eof");
            String id = id(beginning);
            boolean terminal = task(id).at("/command/tty").asBoolean();
            if (!words.isEmpty() || (enter && !terminal)) {
                input(id, Map.of("text", String.join(" ", words) + (enter && !terminal ? "\n" : "")));
            }
            List<String> all = terminal ? pressed() : keys;
            if (!all.isEmpty()) {
                input(id, Map.of("keys", all));
            }
            if (eof) {
                input(id, Map.of("eof", true));
            }
            return 0;
        }

        /** In the order in which they were given. */
        private List<String> pressed() {
            Iterator<String> named = keys.iterator();
            return Objects.requireNonNull(spec).commandLine().getParseResult().matchedOptions().stream()
                    .map(OptionSpec::longestName)
                    .filter(name -> name.matches("--key|--enter"))
                    .map(name -> name.equals("--key") ? named.next() : "enter")
                    .toList();
        }

        private void input(String id, Map<String, ?> body) throws IOException, InterruptedException {
            JsonNode answer = api.having(api.post("/v1/tasks/" + id + "/input", body), "bytes_written");
            asJson(answer);
        }
    }
}
