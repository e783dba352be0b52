package dev.holdfast.cli;

import dev.holdfast.cli.terminal.Page;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;

@Command(name = "completion", description = "Prints what a shell completes this command with.")
final class CompletionCommand extends Verb {
    private static final String OF_RUNNING = "attach send stop wait";
    private static final String SIGNALS = "INT TERM HUP QUIT USR1 USR2 KILL STOP CONT WINCH";
    private static final String OF_ALL = "status logs search screen rm";
    private static final String OF_APPROVALS = "approve deny";

    /** Also in zsh, whose bashcompinit the script of picocli begins with. */
    private static final String IDS = """

            # Ids, where a task or an approval is meant; else what stands above.
            function _holdfast_ids() {
              local word="${COMP_WORDS[COMP_CWORD]}" ids=""
              if [ "$COMP_CWORD" -gt 1 ]; then
                case "$word" in
                  -*) ;;
                  *)
                    case " ${COMP_WORDS[1]} " in
                      " signal ")
                        ids="%s"
                        [ "$COMP_CWORD" -lt 3 ] || ids=$(holdfast ps -q 2>/dev/null)
                        ;;
                      %s) ids=$(holdfast ps -q 2>/dev/null) ;;
                      %s) ids=$(holdfast ps -a -q 2>/dev/null) ;;
                      %s) ids=$(holdfast approvals -q 2>/dev/null) ;;
                    esac
                    ;;
                esac
              fi
              if [ -n "$ids" ]; then
                COMPREPLY=( $(compgen -W "$ids" -- "$word") )
              else
                _complete_holdfast
                [ "${COMP_WORDS[1]}" != run ] || [ "${#COMPREPLY[@]}" -gt 0 ] || compopt -o default # files
              fi
            }
            complete -F _holdfast_ids -o default holdfast
            """;

    @Parameters(paramLabel = "bash|zsh|fish")
    @SuppressWarnings("NullAway.Init")
    Shell shell;

    /** As they are written. */
    @SuppressWarnings("checkstyle:ConstantName")
    enum Shell {
        bash,
        zsh,
        fish
    }

    @Override
    int run() {
        CommandLine all = Commands.line();
        if (shell == Shell.fish) {
            all.getSubcommands().forEach((name, command) -> {
                Page.line(fish("__fish_use_subcommand", "-a " + name, description(command)));
                command.getCommandSpec().options().forEach(option -> Page.line(fish(name, option)));
            });
            String second = "__fish_seen_subcommand_from signal; and test (count (commandline -opc)) -%s 2";
            Page.line(fish(second.formatted("eq"), "-a '" + SIGNALS + "'"));
            Page.line(fish(second.formatted("gt"), "-a '(holdfast ps -q 2>/dev/null)'"));
            Page.line(fishIds(OF_RUNNING, "ps -q"));
            Page.line(fishIds(OF_ALL, "ps -a -q"));
            Page.line(fishIds(OF_APPROVALS, "approvals -q"));
        } else {
            Page.line(AutoComplete.bash("holdfast", all)
                    + IDS.formatted(SIGNALS, cases(OF_RUNNING), cases(OF_ALL), cases(OF_APPROVALS)));
        }
        return 0;
    }

    private static String cases(String words) {
        return "\" " + words.replace(" ", " \"|\" ") + " \"";
    }

    private static String[] description(CommandLine command) {
        return command.getCommandSpec().usageMessage().description();
    }

    private static String fish(String name, OptionSpec option) {
        String names = Stream.of(option.names())
                .map(word -> word.startsWith("--") ? "-l " + word.substring(2) : "-s " + word.substring(1))
                .collect(Collectors.joining(" "));
        String value = option.arity().max() == 0 ? "" : option.type() == Path.class ? " -r -F" : " -r";
        return fish("__fish_seen_subcommand_from " + name, names + value, option.description());
    }

    private static String fish(String when, String what, String... description) {
        String told = description.length == 0 ? "" : String.format(Locale.ROOT, description[0]);
        return "complete -c holdfast -f -n '" + when + "' " + what + " -d '"
                + told.lines().findFirst().orElse("").replace("\\", "\\\\").replace("'", "\\'") + "'";
    }

    private static String fishIds(String words, String asked) {
        return "complete -c holdfast -f -n '__fish_seen_subcommand_from " + words + "' -a '(holdfast " + asked
                + " 2>/dev/null)'";
    }
}
