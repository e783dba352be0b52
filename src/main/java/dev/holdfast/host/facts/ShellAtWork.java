package dev.holdfast.host.facts;

import dev.holdfast.host.proc.OpenFiles;
import dev.holdfast.host.proc.ProcFiles;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.watch.TaskTree;
import dev.holdfast.runtime.port.HostedCommand.ReadingShell;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The shell of a task that reads commands from its input, by its name and arguments: no script, no {@code -c}. */
final class ShellAtWork {
    private static final Set<String> SHELLS =
            Set.of("sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "rbash");
    private static final Set<String> WITH_VALUE = Set.of("-o", "+o", "-O", "+O", "--rcfile", "--init-file");

    /** Scripts that are no file. */
    private static final Set<String> INPUTS = Set.of("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/dev/tty");

    private ShellAtWork() {}

    /** One in front before one that waits for another program. */
    static Optional<ReadingShell> find(TaskTree tree) {
        return tree.processes().stream()
                .filter(ShellAtWork::readsCommands)
                .flatMap(process ->
                        directory(process).map(path -> new ReadingShell(path, isInFront(process, tree))).stream())
                .max(Comparator.comparing(ReadingShell::inFront));
    }

    /** Without a terminal one that reads, or whose children have another input: a job behind it has none. */
    private static boolean isInFront(ProcessStat process, TaskTree tree) {
        if (process.terminal() != 0) {
            return process.group() == process.foreground();
        }
        return readsNow(process)
                || tree.processes().stream()
                        .noneMatch(other ->
                                other.parent() == process.pid() && input(other).equals(input(process)));
    }

    private static boolean readsNow(ProcessStat process) {
        SystemCall call = SystemCall.readable(process.pid()) ? SystemCall.of(process.pid(), process.pid()) : null;
        return call != null && call.kind() == SystemCall.Kind.READ && call.first() == 0;
    }

    private static String input(ProcessStat process) {
        return String.valueOf(OpenFiles.of(process).target(0));
    }

    private static boolean readsCommands(ProcessStat process) {
        List<String> arguments = CommandLine.of(process);
        if (arguments.isEmpty() || !SHELLS.contains(process.name())) {
            return readsCommands(arguments);
        }
        List<String> byItsName = new ArrayList<>(arguments);
        byItsName.set(0, process.name()); // it may be called by another one
        return readsCommands(byItsName);
    }

    /** Whether that is a shell without a text or a script of its own. */
    static boolean readsCommands(List<String> arguments) {
        if (arguments.isEmpty()) {
            return false;
        }
        String program = arguments.getFirst();
        String name = program.substring(program.lastIndexOf('/') + 1);
        if (!SHELLS.contains(name.startsWith("-") ? name.substring(1) : name)) {
            return false;
        }
        for (int i = 1; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            boolean option = argument.startsWith("-") || argument.startsWith("+");
            boolean words = option && !argument.startsWith("--");
            if (argument.equals("-") || argument.equals("--") || (words && argument.indexOf('s') > 0)) {
                return i == arguments.size() - 1 || words;
            }
            if (INPUTS.contains(argument)) {
                return true;
            }
            if (!option || (words && argument.indexOf('c') > 0)) {
                return false;
            }
            i += WITH_VALUE.contains(argument) ? 1 : 0;
        }
        return true;
    }

    private static Optional<Path> directory(ProcessStat shell) {
        return Optional.ofNullable(ProcFiles.link(shell.folder() + "/cwd")).map(Path::of);
    }
}
