package dev.holdfast.cli;

import dev.holdfast.cli.task.Words;
import dev.holdfast.cli.terminal.Page;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** All that {@code holdfast} does, by name. */
final class Commands {
    /** In the order of the help. */
    private static final Map<String, Class<?>> ALL = new LinkedHashMap<>();

    static {
        ALL.put("serve", ScriptCommands.Serve.class);
        ALL.put("run", RunCommand.class);
        ALL.put("ps", TaskCommands.Ps.class);
        ALL.put("status", TaskCommands.Status.class);
        ALL.put("logs", OutputCommands.Logs.class);
        ALL.put("search", OutputCommands.Search.class);
        ALL.put("screen", OutputCommands.Screen.class);
        ALL.put("attach", AttachCommand.class);
        ALL.put("wait", WaitCommand.class);
        ALL.put("send", TaskCommands.Send.class);
        ALL.put("signal", TaskCommands.Signal.class);
        ALL.put("stop", TaskCommands.Stop.class);
        ALL.put("rm", TaskCommands.Rm.class);
        ALL.put("approvals", PolicyCommands.Approvals.class);
        ALL.put("approve", PolicyCommands.Approve.class);
        ALL.put("deny", PolicyCommands.Deny.class);
        ALL.put("check", PolicyCommands.Check.class);
        ALL.put("audit", AuditCommand.class);
        ALL.put("token", TokenCommand.class);
        ALL.put("console", ConsoleCommand.class);
        ALL.put("mcp", ScriptCommands.McpOverStdio.class);
        ALL.put("doctor", DoctorCommand.class);
        ALL.put("completion", CompletionCommand.class);
        ALL.put("version", VersionCommand.class);
        ALL.put("help", HelpCommand.class);
    }

    private Commands() {}

    /**
     * With the one command that is named first, for looking through all takes most of the time that a short one has;
     * else with all.
     */
    static CommandLine line(String... arguments) {
        CommandLine line = new CommandLine(new Holdfast());
        String first = arguments.length == 0 ? "" : arguments[0];
        boolean alone = ALL.containsKey(first) && !first.matches("help|completion");
        ALL.forEach((name, type) -> {
            if (!alone || name.equals(first)) {
                line.addSubcommand(name, type);
            }
        });
        line.setExpandAtFiles(false)
                .registerConverter(Duration.class, Commands::duration)
                .setOut(writer(false))
                .setErr(writer(true))
                .setParameterExceptionHandler((wrong, parsed) -> misused(wrong))
                .setExecutionExceptionHandler((failure, command, parsed) -> Holdfast.failed(
                        failure, (Holdfast) command.getCommandSpec().root().userObject()));
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
                .println("Read on: holdfast help"
                        + command.getCommandSpec().qualifiedName().replaceFirst("^holdfast", ""));
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }
}
