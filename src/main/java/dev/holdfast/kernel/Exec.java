package dev.holdfast.kernel;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;

/** Another program in this process. Apart from the other calls, so that nothing else is bound for it. */
public final class Exec {
    private static final MethodHandle EXECV = Bindings.bind("execv", JAVA_INT, ADDRESS, ADDRESS);

    private Exec() {}

    /**
     * Replaces what this process runs, all its threads included, as execve(2) has it: pid, parent, environment, working
     * directory and what the process inherited stay; of what the JVM opened only its own class file stays open. Does not
     * return.
     *
     * @param argv the name it sees first; UTF-8, without NUL
     * @throws ErrnoException nothing has changed
     */
    public static void replace(Path program, List<String> argv) {
        Bindings.checked("execv", program, Bindings.raw((state, arena) ->
                (int) EXECV.invokeExact(state, arena.allocateFrom(program.toString()), Bindings.strings(argv, arena))));
    }
}
