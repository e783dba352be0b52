package dev.holdfast.cli;

import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.server.Refused;
import dev.holdfast.cli.task.Words;
import dev.holdfast.cli.terminal.Failure;
import dev.holdfast.cli.terminal.Page;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

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
        })
public final class Holdfast {
    /** In the order of the help. */
    private static final Map<String, Class<?>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("run", RunCommand.class);
        COMMANDS.put("ps", TaskCommands.Ps.class);
        COMMANDS.put("status", TaskCommands.Status.class);
        COMMANDS.put("logs", OutputCommands.Logs.class);
        COMMANDS.put("search", OutputCommands.Search.class);
        COMMANDS.put("screen", OutputCommands.Screen.class);
        COMMANDS.put("attach", AttachCommand.class);
        COMMANDS.put("wait", WaitCommand.class);
        COMMANDS.put("send", TaskCommands.Send.class);
        COMMANDS.put("signal", TaskCommands.Signal.class);
        COMMANDS.put("stop", TaskCommands.Stop.class);
        COMMANDS.put("rm", TaskCommands.Rm.class);
        COMMANDS.put("approvals", PolicyCommands.Approvals.class);
        COMMANDS.put("approve", PolicyCommands.Approve.class);
        COMMANDS.put("deny", PolicyCommands.Deny.class);
        COMMANDS.put("check", PolicyCommands.Check.class);
        COMMANDS.put("audit", PolicyCommands.Audit.class);
        COMMANDS.put("token", TokenCommand.class);
        COMMANDS.put("console", ConsoleCommand.class);
        COMMANDS.put("doctor", DoctorCommand.class);
        COMMANDS.put("help", HelpCommand.class);
    }

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
                : commandLine(arguments).execute(arguments);
        // Not exit: a thread may hang in a read of what is typed.
        Runtime.getRuntime().halt(code);
    }

    /**
     * With the one command that is named first, for looking through all takes most of the time that {@code ps} has;
     * else with all.
     */
    private static CommandLine commandLine(String... arguments) {
        CommandLine line = new CommandLine(new Holdfast());
        String first = arguments.length == 0 ? "" : arguments[0];
        boolean alone = COMMANDS.containsKey(first) && !first.equals("help");
        COMMANDS.forEach((name, type) -> {
            if (!alone || name.equals(first)) {
                line.addSubcommand(name, type);
            }
        });
        line.setExpandAtFiles(false)
                .registerConverter(Duration.class, Holdfast::duration)
                .setOut(writer(false))
                .setErr(writer(true))
                .setParameterExceptionHandler((wrong, parsed) -> misused(wrong))
                .setExecutionExceptionHandler((failure, command, parsed) -> failed(failure));
        line.getSubcommands().forEach((name, command) -> command.setStopAtPositional(name.matches("run|check")));
        return line;
    }

    private static PrintWriter writer(boolean errors) {
        return new PrintWriter(new OutputStreamWriter(errors ? Page.ERR : Page.OUT, StandardCharsets.UTF_8), true);
    }

    private static Duration duration(String text) {
        try {
            return Words.span(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }

    /** What is wrong, and where to read on: a screen of usage would push it off. */
    private static int misused(ParameterException wrong) {
        CommandLine command = wrong.getCommandLine();
        boolean bare = wrong.getClass() == ParameterException.class;
        if (bare && !command.getSubcommands().isEmpty()) {
            command.usage(command.getErr()); // nothing was asked for yet
            return command.getCommandSpec().exitCodeOnInvalidInput();
        }
        boolean unknown = command.getParent() == null && wrong instanceof UnmatchedArgumentException;
        Page.note(
                unknown
                        ? "there is no command "
                                + ((UnmatchedArgumentException) wrong)
                                        .getUnmatched()
                                        .getFirst()
                        : String.valueOf(wrong.getMessage()).replace("option option", "option"));
        UnmatchedArgumentException.printSuggestions(wrong, command.getErr());
        command.getErr()
                .println(
                        "Read on: holdfast help" + (command.getParent() == null ? "" : " " + command.getCommandName()));
        return command.getCommandSpec().exitCodeOnInvalidInput();
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
