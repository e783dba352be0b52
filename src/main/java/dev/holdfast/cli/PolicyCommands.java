package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.task.Words;
import dev.holdfast.cli.terminal.Page;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What may run, who is asked, and what was done. */
final class PolicyCommands {
    private PolicyCommands() {}

    @Command(name = "approvals", description = "Lists what waits for an answer.")
    static final class Approvals extends Remote {
        @Option(names = "-a", description = "also what was answered")
        boolean all;

        @Override
        int run() throws IOException, InterruptedException {
            JsonNode answer = api.get("/v1/approvals?state=" + (all ? "all" : "pending"));
            if (json()) {
                Page.json(answer);
                return 0;
            }
            var table = new Page.Table("APPROVAL", "STATE", "ASKED", "BY", "RULE", "COMMAND");
            for (JsonNode approval : answer.path("approvals")) {
                table.row(
                        approval.path("approval_id").asText(),
                        approval.path("state").asText(),
                        Words.ago(approval.path("requested_at")),
                        approval.path("requested_by").asText(),
                        approval.path("rule").asText(""),
                        approval.path("cmd_preview").asText().replaceAll("\\R", "; "));
            }
            table.print();
            return 0;
        }
    }

    /** Answers one. */
    abstract static class Answer extends Remote {
        @Parameters(paramLabel = "ID")
        String beginning = "";

        int decide(String decision, String remember) throws IOException, InterruptedException {
            List<String> found = new ArrayList<>();
            for (JsonNode approval : api.get("/v1/approvals?state=all").path("approvals")) {
                String id = approval.path("approval_id").asText();
                if (id.startsWith(beginning) || id.startsWith("approval_" + beginning)) {
                    found.add(id);
                }
            }
            String id = only(found, beginning, "approval", "holdfast approvals lists them");
            JsonNode answer = api.post("/v1/approvals/" + id, Map.of("decision", decision, "remember", remember));
            if (json()) {
                Page.json(answer);
            } else {
                Page.line(id + " " + answer.path("state").asText());
            }
            return 0;
        }
    }

    @Command(name = "approve", description = "Lets a command run that waits for an answer.")
    static final class Approve extends Answer {
        @ArgGroup
        @Nullable
        Remembered remembered;

        /** One of them at most. */
        static final class Remembered {
            @Option(names = "--session", description = "and what is like it, until the server ends")
            boolean session;

            @Option(names = "--always", description = "and what is like it, for ever")
            boolean always;
        }

        @Override
        int run() throws IOException, InterruptedException {
            return decide("allow", remembered == null ? "once" : remembered.always ? "always" : "session");
        }
    }

    @Command(name = "deny", description = "Refuses a command that waits for an answer.")
    static final class Deny extends Answer {
        @Override
        int run() throws IOException, InterruptedException {
            return decide("deny", "once");
        }
    }

    @Command(name = "check", description = "Says what the policy says of a command, and runs nothing.")
    static final class Check extends Remote {
        @Parameters(arity = "1..*", paramLabel = "CMD")
        List<String> command = new ArrayList<>();

        @Override
        int run() throws IOException, InterruptedException {
            Map<String, Object> body = new LinkedHashMap<>();
            body.put(command.size() == 1 ? "cmd" : "argv", command.size() == 1 ? command.getFirst() : command);
            body.put("workdir", Path.of("").toAbsolutePath().toString());
            JsonNode answer = api.post("/v1/policy/check", body);
            if (json()) {
                Page.json(answer);
                return 0;
            }
            Page.line(answer.path("decision").asText() + why(answer));
            for (JsonNode simple : answer.path("commands")) {
                String classes = Page.joined(simple.path("classes"), JsonNode::asText);
                Page.line("  " + words(simple.path("words")) + ": "
                        + simple.path("decision").asText() + " (" + classes + ")");
            }
            return 0;
        }

        private static String words(JsonNode words) {
            return words.isArray() ? Page.joined(words, JsonNode::asText).replace(", ", " ") : words.asText();
        }

        private static String why(JsonNode answer) {
            String rule = answer.path("rule").asText("");
            String reason = answer.path("reason").asText("");
            return (rule.isEmpty() ? "" : ", by the rule " + rule) + (reason.isEmpty() ? "" : ": " + reason);
        }
    }

    @Command(name = "audit", description = "Prints the journal: who did what, the oldest first.")
    static final class Audit extends Remote {
        private static final Duration PAUSE = Duration.ofSeconds(1);

        @Option(names = "-f", description = "and what comes")
        boolean follow;

        @Option(names = "--since", paramLabel = "TIME", description = "as 2026-03-01T12:00:00Z")
        Optional<String> since = Optional.empty();

        @Override
        int run() throws IOException, InterruptedException {
            String first = "/v1/audit?limit=100"
                    + since.map(time -> "&since=" + Api.encoded(time)).orElse("");
            String path = first;
            while (true) {
                String asked = path;
                JsonNode answer = api.retried(() -> api.get(asked));
                answer.path("entries").forEach(this::print);
                if (answer.path("next_cursor").isTextual()) {
                    path = first + "&cursor="
                            + Api.encoded(answer.path("next_cursor").asText());
                }
                if (answer.path("entries").isEmpty()
                        || !answer.path("next_cursor").isTextual()) {
                    if (!follow) {
                        return 0;
                    }
                    Thread.sleep(PAUSE);
                }
            }
        }

        private void print(JsonNode entry) {
            if (json()) {
                Page.json(entry);
                return;
            }
            var line = new StringBuilder(entry.path("at").asText());
            for (String name : List.of("actor", "action", "decision", "task_id", "cmd_preview")) {
                String value = entry.path(name).asText("");
                line.append(value.isEmpty() || value.equals("null") ? "" : "  " + value.replaceAll("\\R", "; "));
            }
            Page.line(line.toString());
        }
    }
}
