package dev.holdfast.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What the script starts when it is the first word; here it is told of, and completed. */
final class ScriptCommands {
    private static final String FIRST = "it has to be the first word, without what is for the other commands";

    private ScriptCommands() {}

    @Command(
            name = "serve",
            description = {
                "Is the server, in the foreground, as this very process.",
                "Settings are environment variables (HOLDFAST_DATA_DIR, QUARKUS_HTTP_PORT), or -D: README.md has them."
            })
    static final class Serve extends Verb {
        @Parameters(paramLabel = "-Dkey=value|-X…", description = "options of the JVM")
        List<String> options = new ArrayList<>();

        @Override
        int run() {
            refuse(true, FIRST);
            return 0;
        }
    }

    @Command(
            name = "mcp",
            description =
                    "Speaks MCP over stdio, for an agent: passes on to the server, and starts one where none runs.")
    static final class McpOverStdio extends Verb {
        @Option(
                names = "--profile",
                paramLabel = "NAME",
                description = "the tools: holdfast (default), classic, codex, claude or gemini")
        String profile = "holdfast";

        /** The script does not read the options that stand before it. */
        @Override
        int run() throws IOException, InterruptedException {
            Mcp.speak(holdfast().settings(), profile);
            return 0;
        }
    }
}
