package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.server.Refused;
import dev.holdfast.cli.task.Words;
import dev.holdfast.cli.terminal.Page;
import java.io.IOException;
import java.nio.file.Path;
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

        @Option(names = "-q", description = "ids alone")
        boolean quiet;

        @Override
        int run() throws IOException, InterruptedException {
            JsonNode answer = api.having(api.get("/v1/approvals?state=" + (all ? "all" : "pending")), "approvals");
            if (asJson(answer)) {
                return 0;
            }
            if (quiet) {
                answer.path("approvals")
                        .forEach(approval ->
                                Page.line(approval.path("approval_id").asText()));
            } else {
                print(answer.path("approvals"));
            }
            return 0;
        }

        private static void print(JsonNode approvals) {
            var table = new Page.Table("APPROVAL", "STATE", "ASKED", "BY", "RULE", "COMMAND");
            for (JsonNode approval : approvals) {
                table.row(
                        approval.path("approval_id").asText(),
                        approval.path("state").asText(),
                        Words.ago(approval.path("requested_at")),
                        approval.path("requested_by").asText(),
                        approval.path("rule").asText(""),
                        Words.oneLine(approval.path("cmd")
                                .asText(approval.path("cmd_preview").asText())));
                told(approval, "words", "decided by: ").ifPresent(table::under);
                told(approval, "reason", "why: ").ifPresent(table::under);
                told(approval, "suggested_rule", "--session or --always would allow: ")
                        .ifPresent(table::under);
                told(approval, "decision_reason", "answer: ").ifPresent(table::under);
                told(approval, "task_id", "its task: ").ifPresent(table::under);
                told(approval, "start_error", "could not be started: ").ifPresent(table::under);
            }
            table.print();
        }

        private static Optional<String> told(JsonNode approval, String field, String before) {
            String value = approval.path(field).asText("");
            return value.isEmpty() ? Optional.empty() : Optional.of(before + Words.oneLine(value));
        }
    }

    /** Answers one. */
    abstract static class Answer extends Remote {
        private static final String LISTED = "holdfast approvals lists them";

        @Parameters(paramLabel = "ID")
        String beginning = "";

        @Option(names = "--reason", paramLabel = "TEXT", description = "why, for whoever asked and for the journal")
        @Nullable
        String reason;

        int decide(String decision, String remember) throws IOException, InterruptedException {
            requireMore(beginning, "approval", LISTED);
            List<String> found = new ArrayList<>();
            JsonNode all = api.having(api.get("/v1/approvals?state=all"), "approvals");
            for (JsonNode approval : all.path("approvals")) {
                String id = approval.path("approval_id").asText();
                if (id.startsWith(beginning) || id.startsWith("approval_" + beginning)) {
                    found.add(id);
                }
            }
            String id = found.isEmpty() && json()
                    ? Api.encoded(beginning) // so that the server refuses it, in its own words
                    : only(found, beginning, "approval", LISTED);
            Map<String, Object> body = new LinkedHashMap<>(Map.of("decision", decision, "remember", remember));
            if (reason != null) {
                body.put("reason", reason);
            }
            JsonNode answer = api.having(api.post("/v1/approvals/" + id, body), "state");
            if (!asJson(answer)) {
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
            JsonNode answer = api.having(api.post("/v1/policy/check", body), "decision", "commands");
            tellFlaws();
            if (asJson(answer)) {
                return 0;
            }
            Page.line(answer.path("decision").asText() + why(answer));
            for (JsonNode simple : answer.path("commands")) {
                String classes = Page.joined(simple.path("classes"));
                Page.line("  " + Words.oneLine(Words.quoted(simple.path("words"))) + ": "
                        + simple.path("decision").asText() + " (" + classes + ")");
            }
            return 0;
        }

        /** While a file of the policy can't be used, what is said is by older rules. */
        private void tellFlaws() throws IOException, InterruptedException {
            try {
                api.get("/q/health/well");
            } catch (Refused unwell) {
                unwell.problem()
                        .path("checks")
                        .valueStream()
                        .filter(check -> check.path("name").asText().equals("policy files"))
                        .flatMap(check -> check.path("data").properties().stream())
                        .forEach(flaw ->
                                Page.note(flaw.getKey() + ": " + flaw.getValue().asText()));
            }
        }

        private static String why(JsonNode answer) {
            String rule = answer.path("rule").asText("");
            String reason = answer.path("reason").asText("");
            return (rule.isEmpty() ? "" : ", by the rule " + rule) + (reason.isEmpty() ? "" : ": " + reason);
        }
    }
}
