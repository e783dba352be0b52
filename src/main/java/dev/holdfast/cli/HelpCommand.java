package dev.holdfast.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.UnmatchedArgumentException;

@Command(name = "help", description = "Tells what there is, or all of one command.")
final class HelpCommand extends Verb {
    @Parameters(paramLabel = "COMMAND")
    List<String> words = new ArrayList<>();

    @Override
    int run() {
        CommandLine told = spec == null ? Commands.line() : spec.root().commandLine();
        for (String word : words) {
            CommandLine next = told.getSubcommands().get(word);
            if (next == null) {
                throw new UnmatchedArgumentException(told, List.of(word));
            }
            told = next;
        }
        told.usage(told.getOut());
        return 0;
    }
}
