package dev.holdfast.host.facts;

import dev.holdfast.host.proc.OpenFiles;
import dev.holdfast.host.proc.ProcFiles;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.watch.TaskProcess;
import dev.holdfast.host.watch.TaskTree;
import dev.holdfast.kernel.TerminalMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Whether nothing of a task goes on until somebody types, by what its threads sleep in. A thread that sleeps in
 * {@code read} of an input finds it empty, so nothing sent to it is still unread. Where something else could wake the
 * program too (a socket, a child, another thread, a late timer), what it printed decides: a question ends in the midst
 * of a line; and whoever listens on a port serves, and reads keys on the side. For one look, by one thread.
 */
public final class InputWait {
    private static final int MOST_THREADS = 512;
    private static final int STANDARD_DESCRIPTORS = 3;
    /** Who wakes that often does it for his own sake; an event loop that waits for a key wakes for its heap's. */
    private static final long CLOCK_MS = 1000;

    private static final String MASTER = "/dev/ptmx";
    private static final Set<String> TERMINAL_WAITS = Set.of("wait_woken", "n_tty_read");
    private static final Set<String> PIPE_WAITS = Set.of("pipe_read", "anon_pipe_read", "pipe_wait");

    private final @Nullable String terminal;
    private final @Nullable String stdin;
    private final List<Path> printed;
    /** Its terminal, and those inside whose keys come from it, as under {@code script}, {@code sudo}, {@code apt}. */
    private final Set<String> terminals = new HashSet<>();

    /** What a thread or a process waits for, the later the more. */
    private enum Waits {
        /** It runs, or goes on by itself. */
        GOES_ON,
        /** For another thread, or for what only the process itself can bring about. */
        PARKED,
        INPUT_AND_MORE,
        INPUT
    }

    InputWait(TaskProcess task) {
        this.terminal =
                task.terminalDevice() == null ? null : task.terminalDevice().toString();
        this.stdin = task.stdinFifo() == null ? null : real(task.stdinFifo());
        this.printed = task.printed();
        if (terminal != null) {
            terminals.add(terminal);
        }
    }

    boolean holds(TaskTree tree, boolean listens) {
        if (terminal == null && stdin == null) {
            return false;
        }
        Waits most = most(tree);
        return most == Waits.INPUT
                || (most == Waits.INPUT_AND_MORE && !listens && printed.stream().anyMatch(LastLine::isUnfinished));
    }

    /** Whether it is all that is left of the task: nothing of it goes on by itself, but who waits for a child. */
    boolean isAll(TaskTree tree) {
        return most(tree) == Waits.INPUT
                && tree.processes().stream()
                        .filter(process ->
                                tree.processes().stream().noneMatch(child -> child.parent() == process.pid()))
                        .allMatch(process -> of(process, tree) == Waits.INPUT);
    }

    /** Again while a terminal was found inside another: who reads it may have come before. */
    private Waits most(TaskTree tree) {
        int known;
        Waits most;
        do {
            known = terminals.size();
            most = tree.processes().stream()
                    .map(process -> of(process, tree))
                    .max(Comparator.naturalOrder())
                    .orElse(Waits.GOES_ON);
        } while (terminals.size() > known);
        return most;
    }

    private Waits of(ProcessStat process, TaskTree tree) {
        boolean sleeps = process.state() == 'S' || (process.threads() > 1 && process.state() != 'T');
        boolean groupRuns = tree.processes().stream()
                .anyMatch(other ->
                        other.group() == process.group() && other.pid() != process.pid() && Activity.runs(other));
        if (!sleeps || groupRuns) {
            return Waits.GOES_ON;
        }
        if (!SystemCall.readable(process.pid())) {
            return unseen(process) ? Waits.INPUT : Waits.GOES_ON;
        }
        boolean child = tree.processes().stream().anyMatch(other -> other.parent() == process.pid());
        long[] threads = process.threads() == 1
                ? new long[] {process.pid()}
                : ProcFiles.numbers("/proc/" + process.pid() + "/task");
        Set<Waits> all = EnumSet.noneOf(Waits.class);
        for (int i = 0; i < Math.min(threads.length, MOST_THREADS); i++) {
            all.add(of(process, SystemCall.of(process.pid(), threads[i]), child));
        }
        return all.containsAll(Set.of(Waits.INPUT, Waits.GOES_ON))
                ? Waits.INPUT_AND_MORE
                : all.stream().max(Comparator.naturalOrder()).orElse(Waits.GOES_ON);
    }

    private Waits of(ProcessStat process, @Nullable SystemCall call, boolean child) {
        if (call == null || call.kind() == SystemCall.Kind.PARKED) {
            return call == null ? Waits.GOES_ON : Waits.PARKED;
        }
        OpenFiles files = OpenFiles.of(process);
        List<Long> waited = WaitedDescriptors.of(process, call);
        List<Long> others = waited.stream()
                .filter(descriptor -> !isInput(process, files.target(descriptor)))
                .toList();
        boolean more = others.stream().anyMatch(descriptor -> !files.isOwn(descriptor));
        if (others.size() == waited.size()) {
            boolean parked = !waited.isEmpty() && !more && call.limit() == SystemCall.NEVER;
            return parked ? Waits.PARKED : Waits.GOES_ON;
        }
        if (relays(others, files) || others.stream().anyMatch(files::isTimer) || isClock(call)) {
            return Waits.GOES_ON;
        }
        boolean alone = !more && call.limit() == SystemCall.NEVER && (others.isEmpty() || !child);
        return alone ? Waits.INPUT : Waits.INPUT_AND_MORE;
    }

    /** Who hands keys on to a terminal of his own: whoever reads that one waits for them. */
    private boolean relays(List<Long> descriptors, OpenFiles files) {
        List<Long> masters = descriptors.stream()
                .filter(descriptor -> MASTER.equals(files.target(descriptor)))
                .toList();
        masters.forEach(master -> terminals.add("/dev/pts/" + files.information(master, "tty-index:")));
        return !masters.isEmpty();
    }

    /** Who reads single keys for a limited time only shows something meanwhile; a question has a line's. */
    private boolean isClock(SystemCall call) {
        if (call.limit() == SystemCall.NEVER) {
            return false;
        }
        boolean loop = call.kind() == SystemCall.Kind.EPOLL || call.kind() == SystemCall.Kind.EPOLL2;
        return call.limit() <= CLOCK_MS || (!loop && terminalIs(mode -> !mode.lines()));
    }

    private boolean terminalIs(Predicate<TerminalMode> kind) {
        return terminal != null
                && TerminalMode.of(Path.of(terminal)).filter(kind).isPresent();
    }

    private boolean isInput(ProcessStat process, @Nullable String target) {
        return target != null && (target.equals(stdin) || isTerminal(process, target));
    }

    /**
     * {@code /dev/tty} is whatever terminal controls the process that opens it. Whom none controls may read any, as
     * what {@code su -c} runs.
     */
    private boolean isTerminal(ProcessStat process, String target) {
        String own = pseudoTerminal(process.terminal());
        if (own == null) {
            return terminals.contains(target);
        }
        return terminals.contains(own)
                && process.group() == process.foreground()
                && (target.equals(own) || target.equals("/dev/tty"));
    }

    /** The path of a Unix98 pseudo-terminal by its device: majors 136 to 143, minor in bits 0 to 7 and 20 to 31. */
    public static @Nullable String pseudoTerminal(long device) {
        long major = (device >> 8) & 0xfff;
        long minor = (device & 0xff) | ((device >> 12) & 0xfff00);
        return major >= 136 && major <= 143 ? "/dev/pts/" + (minor + 256 * (major - 136)) : null;
    }

    /** Of one whose calls are closed to us: Yama's doing, for a command that was adopted, or it is another user's. */
    private boolean unseen(ProcessStat process) {
        boolean foreign = OpenFiles.of(process).target(0) == null;
        return process.threads() == 1 && (foreign ? asksForPassword(process) : seemsToWait(process));
    }

    /** As {@code sudo} and {@code su} do: it is in front of a terminal that takes a line and does not show it. */
    boolean asksForPassword(ProcessStat process) {
        return terminal != null && isTerminal(process, terminal) && terminalIs(mode -> mode.lines() && !mode.echo());
    }

    /** The kernel function it sleeps in tells enough, as long as it has no other pipe or socket to wait for. */
    boolean seemsToWait(ProcessStat process) {
        String place = ProcFiles.text("/proc/" + process.pid() + "/wchan").strip();
        OpenFiles files = OpenFiles.of(process);
        String input = files.target(0);
        boolean reads = place.startsWith("poll_schedule_timeout")
                || (stdin != null && stdin.equals(input) ? PIPE_WAITS : TERMINAL_WAITS).contains(place);
        return reads && isInput(process, input) && !files.anyPipeOrSocket(STANDARD_DESCRIPTORS);
    }

    private static String real(Path path) {
        try {
            return path.toRealPath().toString();
        } catch (IOException gone) {
            return path.toString(); // its folder is gone: then nothing has it open under that name either
        }
    }
}
