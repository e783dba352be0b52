package dev.holdfast.host;

import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.Pidfd;
import dev.holdfast.kernel.Processes;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.Signal;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Signals to a command's process groups. The launcher leads the first and must go on to record the exit: it traps what can be trapped, is left out of KILL, and is continued after STOP.
 */
final class GroupSignals {
    /** Scans until none is left; a group that forks faster than it is killed needs a stop. */
    private static final int ROUNDS = 20;

    private GroupSignals() {}

    /** Nothing happens when neither the launcher nor the command lives: the group's number may be another's. */
    static void send(CommandProcesses processes, Signal signal) {
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
        groups.add(processes.session());
        ProcStat.of(processes.launcher()).ifPresent(launcher -> groups.add(launcher.foreground()));
        ProcessIdentity command = processes.command();
        if (command != null) {
            ProcStat.of(command).ifPresent(stat -> groups.add(stat.group()));
        }
        groups.removeIf(group -> group <= 1);
        return groups;
    }

    private static void kill(Set<Long> groups, long launcher) {
        Set<ProcessIdentity> killed = new HashSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            List<ProcessIdentity> members = MarkedProcesses.pids()
                    .filter(pid -> pid != launcher)
                    .flatMap(pid -> ProcStat.of(pid).stream())
                    .filter(stat -> stat.alive() && groups.contains(stat.group()))
                    .map(ProcStat::identity)
                    .filter(killed::add)
                    .toList();
            if (members.isEmpty()) {
                return;
            }
            members.forEach(member -> signal(member, Signal.KILL));
        }
    }

    /** The launcher and what it forked for itself go on while the command stands still. */
    private static void continueOwn(CommandProcesses processes) {
        MarkedProcesses.pids()
                .flatMap(pid -> ProcStat.of(pid).stream())
                .filter(stat -> stat.group() == processes.session())
                .filter(stat -> Launcher.isOwn(MarkedProcesses.cmdline(stat.pid())))
                .forEach(stat -> signal(stat.identity(), Signal.CONT));
    }

    private static void signal(ProcessIdentity identity, Signal signal) {
        Pidfd.open(identity.pid()).ifPresent(pidfd -> {
            try (pidfd) {
                if (ProcStat.of(identity).isPresent()) {
                    pidfd.signal(signal.number());
                }
            } catch (ErrnoException e) {
                // It runs as another user now (sudo): this server may not signal it, and a stop reports it.
            }
        });
    }
}
