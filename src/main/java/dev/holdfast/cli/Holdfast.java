package dev.holdfast.cli;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;

/** The {@code holdfast} command but for the server itself and MCP, which the script starts. */
@Command(
        name = "holdfast",
        description = "Runs commands that outlive the server, the terminal and you.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "  serve        the server, in the foreground",
            "  mcp          MCP over stdio for an agent",
            "",
            "An ID may be any beginning of it that is unique.",
            "Exit codes: 0, 1 an error, 2 wrong usage, 69 no server; run and wait as the command did."
        },
        subcommands = {
            RunCommand.class,
            TaskCommands.Ps.class,
            TaskCommands.Status.class,
            OutputCommands.Logs.class,
            OutputCommands.Search.class,
            OutputCommands.Screen.class,
            AttachCommand.class,
            WaitCommand.class,
            TaskCommands.Send.class,
            TaskCommands.Signal.class,
            TaskCommands.Stop.class,
            TaskCommands.Rm.class,
            PolicyCommands.Approvals.class,
            PolicyCommands.Approve.class,
            PolicyCommands.Deny.class,
            PolicyCommands.Check.class,
            PolicyCommands.Audit.class,
            TokenCommand.class,
            ConsoleCommand.class,
            HelpCommand.class
        })
public final class Holdfast {
    /** As a shell tells that a program was ended by a closed pipe. */
    private static final int CLOSED_PIPE = 141;

    @Option(
            names = "--url",
            paramLabel = "URL",
            scope = ScopeType.INHERIT,
            description = "of the server; else HOLDFAST_URL, else the one of this machine")
    String url = "";

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            scope = ScopeType.INHERIT,
            description = "else HOLDFAST_TOKEN, else the one in the data folder")
    String token = "";

    @Option(names = "--json", scope = ScopeType.INHERIT, description = "print what the server answers")
    boolean json;

    public static void main(String... arguments) {
        int code = arguments.length == 1 && arguments[0].matches("version|--version")
                ? version()
                : commandLine().execute(arguments);
        // Not exit: a thread may hang in a read of what is typed.
        Runtime.getRuntime().halt(code);
    }

    private static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Holdfast());
        line.setExpandAtFiles(false)
                .registerConverter(Duration.class, Words::span)
                .setOut(writer(false))
                .setErr(writer(true))
                .setExecutionExceptionHandler((failure, command, parsed) -> failed(failure));
        line.getSubcommands().forEach((name, command) -> command.setStopAtPositional(name.matches("run|check")));
        return line;
    }

    private static PrintWriter writer(boolean errors) {
        return new PrintWriter(new OutputStreamWriter(errors ? Page.ERR : Page.OUT, StandardCharsets.UTF_8), true);
    }

    private static int failed(Exception failure) throws Exception {
        switch (failure) {
            case Page.Closed closed -> {
                return CLOSED_PIPE;
            }
            case Failure told -> {
                Page.note(String.valueOf(told.getMessage()));
                return told.code();
            }
            case Refused refused -> {
                Page.note(refused.getMessage() + (refused.hint().isEmpty() ? "" : "\n" + refused.hint()));
                return Failure.ERROR;
            }
            case IOException away -> {
                String why = Optional.ofNullable(away.getMessage()).orElse("nobody listens there");
                Page.note("no server: " + why + "\nStart one: holdfast serve");
                return Failure.NO_SERVER;
            }
            default -> throw failure;
        }
    }

    Api api() {
        Map<String, String> settings = new HashMap<>(System.getenv());
        if (!url.isEmpty()) {
            settings.put("HOLDFAST_URL", url);
        }
        if (!token.isEmpty()) {
            settings.put("HOLDFAST_TOKEN", token);
        }
        return new Api(settings);
    }

    @Command(name = "version", description = "Says which Holdfast this is.")
    static int version() {
        String version = Holdfast.class.getPackage().getImplementationVersion();
        Page.line("holdfast " + (version == null ? "of no version" : version));
        return 0;
    }

    @Command(name = "completion", description = "Prints what a shell completes this command with.")
    int completion(@Parameters(paramLabel = "bash|zsh|fish") Shell shell) {
        if (shell == Shell.fish) {
            commandLine().getSubcommands().forEach((name, command) -> Page.line(fish(name, command)));
        } else {
            Page.line(AutoComplete.bash("holdfast", commandLine()));
        }
        return 0;
    }

    private static String fish(String name, CommandLine command) {
        String[] description = command.getCommandSpec().usageMessage().description();
        return "complete -c holdfast -f -n __fish_use_subcommand -a " + name + " -d '"
                + (description.length == 0 ? "" : description[0].replace("'", "")) + "'";
    }

    /** As they are written. */
    @SuppressWarnings("checkstyle:ConstantName")
    enum Shell {
        bash,
        zsh,
        fish
    }
}
