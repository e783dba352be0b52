package dev.holdfast.host;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether a task is blocked reading its terminal or its stdin, by what its threads sleep in. A thread that sleeps in
 * {@code read} of an input finds it empty, so nothing sent to it is still unread. What can serve something else
 * meanwhile (it polls other descriptors too, or is one thread of several) counts only while nothing of the task listens
 * on a port: dev servers read keys on the side.
 */
final class InputWait {
    private static final int MOST_THREADS = 512;
    private static final int STANDARD_DESCRIPTORS = 3;
    private static final Set<String> TERMINAL_WAITS = Set.of("wait_woken", "n_tty_read");
    private static final Set<String> PIPE_WAITS = Set.of("pipe_read", "anon_pipe_read", "pipe_wait");

    private final @Nullable String terminal;
    private final @Nullable String stdin;

    InputWait(TaskProcess task) {
        this.terminal =
                task.terminalDevice() == null ? null : task.terminalDevice().toString();
        this.stdin = task.stdinFifo() == null ? null : real(task.stdinFifo());
    }

    boolean holds(TaskTree tree, boolean listens) {
        return (terminal != null || stdin != null)
                && tree.processes().stream().anyMatch(process -> waits(process, listens));
    }

    private boolean waits(ProcessStat process, boolean listens) {
        boolean sleeps = process.state() == 'S' || (process.threads() > 1 && process.state() != 'T');
        if (!sleeps) {
            return false;
        }
        if (process.threads() == 1 && !SystemCall.readable(process.pid())) {
            return seemsToWait(process);
        }
        long[] threads = ProcFiles.numbers("/proc/" + process.pid() + "/task");
        for (int i = 0; i < Math.min(threads.length, MOST_THREADS); i++) {
            if (waits(process, threads[i], listens)) {
                return true;
            }
        }
        return false;
    }

    private boolean waits(ProcessStat process, long thread, boolean listens) {
        SystemCall call = SystemCall.of(process.pid(), thread);
        if (call == null) {
            return false;
        }
        List<Long> waited = WaitedDescriptors.of(process, call);
        OpenFiles files = OpenFiles.of(process);
        long inputs = waited.stream()
                .filter(descriptor -> isInput(process, files.target(descriptor)))
                .count();
        boolean nothingElse = process.threads() == 1 && inputs == waited.size();
        return inputs > 0 && (nothingElse || !listens);
    }

    private boolean isInput(ProcessStat process, @Nullable String target) {
        if (target == null) {
            return false;
        }
        return target.equals(stdin) || (isTerminal(process, target) && process.group() == process.foreground());
    }

    /** {@code /dev/tty} is whatever terminal controls the process that opens it. */
    private boolean isTerminal(ProcessStat process, String target) {
        return terminal != null
                && terminal.equals(pseudoTerminal(process.terminal()))
                && (target.equals(terminal) || target.equals("/dev/tty"));
    }

    /** The path of a Unix98 pseudo-terminal by its device number: majors 136 to 143, minor in bits 0 to 7 and 20 to 31. */
    static @Nullable String pseudoTerminal(long device) {
        long major = (device >> 8) & 0xfff;
        long minor = (device & 0xff) | ((device >> 12) & 0xfff00);
        return major >= 136 && major <= 143 ? "/dev/pts/" + (minor + 256 * (major - 136)) : null;
    }

    /**
     * Where its calls are closed to us (Yama, for a command that was adopted) the kernel function it sleeps in tells
     * enough, as long as it has no other pipe or socket it could be waiting for.
     */
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
