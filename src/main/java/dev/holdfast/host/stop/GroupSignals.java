package dev.holdfast.host.stop;

import dev.holdfast.host.launch.Launcher;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.watch.CommandProcesses;
import dev.holdfast.host.watch.WallProcesses;
import dev.holdfast.kernel.Processes;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.Signal;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Signals to a command's process groups. The launcher leads the first and must go on to record the exit: it traps what
 * can be trapped, is left out of KILL, and is continued after STOP.
 */
public final class GroupSignals {
    /** Scans until none is left; a group that forks faster than it is killed needs a stop. */
    private static final int ROUNDS = 20;

    private GroupSignals() {}

    /** Nothing happens when neither the launcher nor the command lives: the group's number may be another's. */
    public static void send(CommandProcesses processes, Signal signal) {
        if (!processes.alive()) {
            return;
        }
        Set<Long> groups = groups(processes);
        if (signal == Signal.KILL) {
            kill(groups, processes.session());
            return;
        }
        groups.forEach(group -> Processes.signalGroup(group, signal.number()));
        if (signal == Signal.STOP) {
            continueOwn(processes);
        }
    }

    /** That of the launcher, the one in its terminal's foreground, and the command's own where it left the first. */
    private static Set<Long> groups(CommandProcesses processes) {
        Set<Long> groups = new HashSet<>();
        ProcessStat launcher = ProcessTable.living(processes.launcher());
        if (launcher != null) {
            groups.add(processes.session());
            groups.add(launcher.foreground());
        }
        ProcessStat command = ProcessTable.living(processes.command());
        if (command != null) {
            groups.add(command.group());
        }
        groups.removeIf(group -> group <= 1);
        return groups;
    }

    private static void kill(Set<Long> groups, long launcher) {
        Signals signals = new Signals();
        Set<ProcessIdentity> killed = new HashSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            ProcessTable table = ProcessTable.read();
            List<ProcessStat> members = table.processes().stream()
                    .filter(process -> process.pid() != launcher && !WallProcesses.isOne(process, table))
                    .filter(process -> process.alive() && groups.contains(process.group()))
                    .filter(process -> killed.add(process.identity()))
                    .toList();
            if (members.isEmpty()) {
                return;
            }
            signals.send(Signal.KILL, members);
        }
    }

    /** The launcher, what it forked for itself and the wall go on while the command stands still. */
    private static void continueOwn(CommandProcesses processes) {
        ProcessTable table = ProcessTable.read();
        List<ProcessStat> own = table.processes().stream()
                .filter(process -> process.group() == processes.session())
                .filter(process -> Launcher.isOwn(process.arguments()) || WallProcesses.isOne(process, table))
                .toList();
        new Signals().send(Signal.CONT, own);
    }
}
