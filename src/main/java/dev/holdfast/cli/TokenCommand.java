package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.terminal.Page;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Who is let in besides the operator. */
@Command(
        name = "token",
        description = "Says who may call: add, list, rm.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {TokenCommand.Add.class, TokenCommand.Ls.class, TokenCommand.Rm.class})
final class TokenCommand {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "tells of this command")
    boolean help;

    @Command(name = "add", description = "Lets somebody in, and prints the token: it is shown this once.")
    static final class Add extends Remote {
        @Option(names = "--role", paramLabel = "ROLE", description = "agent (default), observer or operator")
        String role = "agent";

        @Option(names = "-l", paramLabel = "K=V", description = "a label that its tasks carry")
        List<String> labels = new ArrayList<>();

        @Option(
                names = "--mode",
                paramLabel = "MODE",
                description = "the least its commands are held to: open, ask_destructive or plan")
        @Nullable
        String mode;

        @Option(
                names = "--sandbox",
                paramLabel = "S",
                description = "the least wall of its commands: none, read_only or workspace_write")
        @Nullable
        String sandbox;

        @Parameters(paramLabel = "NAME")
        String name = "";

        @Override
        int run() throws IOException, InterruptedException {
            Map<String, Object> body =
                    new LinkedHashMap<>(Map.of("name", name, "role", role, "labels", pairs("-l", labels)));
            if (mode != null) {
                body.put("mode", mode);
            }
            if (sandbox != null) {
                body.put("sandbox", sandbox);
            }
            JsonNode answer = api.having(api.post("/v1/tokens", body), "token");
            if (asJson(answer)) {
                return 0;
            }
            Page.note(name + " is let in as " + role + " by this token, which is shown this once:");
            Page.line(answer.path("token").asText());
            return 0;
        }
    }

    @Command(name = "list", description = "Lists who is let in.")
    static final class Ls extends Remote {
        @Override
        int run() throws IOException, InterruptedException {
            JsonNode answer = api.having(api.get("/v1/tokens"), "tokens");
            if (asJson(answer)) {
                return 0;
            }
            var table = new Page.Table("NAME", "ROLE", "MODE", "SANDBOX", "LABELS");
            for (JsonNode token : answer.path("tokens")) {
                List<String> labels = new ArrayList<>();
                token.path("labels")
                        .properties()
                        .forEach(label -> labels.add(
                                label.getKey() + "=" + label.getValue().asText()));
                table.row(
                        token.path("name").asText(),
                        token.path("role").asText(),
                        token.path("mode").asText(),
                        token.path("sandbox").asText(),
                        String.join(", ", labels));
            }
            table.print();
            return 0;
        }
    }

    @Command(name = "rm", description = "Lets somebody in no more; their tasks run on.")
    static final class Rm extends Remote {
        @Parameters(arity = "1..*", paramLabel = "NAME")
        List<String> names = new ArrayList<>();

        @Override
        int run() throws IOException, InterruptedException {
            return each(names, name -> {
                api.delete("/v1/tokens/" + Api.encoded(name).replace("+", "%20"));
                asJson(Api.JSON.createObjectNode().put("name", name));
                return true;
            });
        }
    }
}
