package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.server.Refused;
import dev.holdfast.cli.terminal.Failure;
import dev.holdfast.cli.terminal.Page;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

@Command(
        name = "doctor",
        description = {
            "Says what works here and what does not, and what to do about it.",
            "Exits with 1 when something is broken that is needed."
        })
final class DoctorCommand extends Remote {
    private static final String SERVER = "server";
    private static final Duration LIMIT = Duration.ofSeconds(5);

    @Override
    int run() throws InterruptedException {
        List<Finding> findings = new ArrayList<>();
        if (api.isLocal()) {
            findings.addAll(
                    new LocalProbes(api.data(), holdfast().settings().getOrDefault("HOLDFAST_WORKSPACE", "")).all());
        }
        findings.addAll(server());
        boolean works = findings.stream().noneMatch(finding -> finding.state() == Finding.State.BROKEN);
        if (json()) {
            ObjectNode answer = Api.JSON.createObjectNode().put("works", works);
            findings.forEach(finding -> answer.withArray("findings").add(finding.json()));
            Page.json(answer);
        } else {
            findings.forEach(Finding::print);
        }
        return works ? 0 : Failure.ERROR;
    }

    private List<Finding> server() throws InterruptedException {
        List<Finding> findings = new ArrayList<>();
        try {
            api.get("/q/health/ready", LIMIT);
            findings.add(Finding.ok(SERVER, version() + " is ready at " + api.address()));
            api.get("/q/health/well", LIMIT);
        } catch (Refused unwell) {
            findings.addAll(unwell(unwell.problem()));
        } catch (Failure foreign) {
            findings.add(Finding.broken(
                    SERVER,
                    String.valueOf(foreign.getMessage()),
                    foreign.remedy()
                            .orElse("stop what listens there, or set QUARKUS_HTTP_PORT for server and command")));
        } catch (SocketTimeoutException silent) {
            findings.add(Finding.broken(
                    SERVER,
                    String.valueOf(silent.getMessage()),
                    "stop what listens there, or see whether --url is right"));
        } catch (IOException none) {
            String silent = "none answers at " + api.address();
            findings.add(
                    api.isLocal()
                            ? Finding.remark(SERVER, silent, "start one: holdfast serve")
                            : Finding.broken(
                                    SERVER, silent, "see whether it runs there, and whether --url is its address"));
        }
        return findings;
    }

    /** @throws Refused it does not know the token */
    private String version() throws IOException, InterruptedException {
        JsonNode described = api.get("/q/openapi?format=json", LIMIT);
        return "Holdfast " + described.at("/info/version").asText("of no version");
    }

    private static List<Finding> unwell(JsonNode answer) {
        if (answer.path("kind").asText().equals("unauthorized")) {
            return List.of(Finding.broken(
                    SERVER, "it does not know the token", "give --token or HOLDFAST_TOKEN that of its data folder"));
        }
        List<Finding> findings = new ArrayList<>();
        for (JsonNode check : answer.path("checks")) {
            if (check.path("status").asText().equals("DOWN")) {
                String flaws = check.path("data").properties().stream()
                        .map(flaw -> flaw.getKey() + ": " + flaw.getValue().asText())
                        .collect(Collectors.joining("; "));
                findings.add(
                        Finding.broken(check.path("name").asText(), flaws, "mend it; the log of the server says more"));
            }
        }
        return findings.isEmpty()
                ? List.of(Finding.broken(SERVER, answer.path("detail").asText("it is not well"), "its log says why"))
                : findings;
    }
}
