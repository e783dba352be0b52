package dev.holdfast.kernel;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A process to be started by {@code posix_spawn(3)}: leader of a session of its own, no signal ignored or blocked, and
 * no descriptor but those asked for. Used once, by one thread.
 */
public final class Spawn {
    private static final int SETSIGDEF = 0x4;
    private static final int SETSIGMASK = 0x8;
    private static final int SETSID = 0x80;
    /** Larger than {@code posix_spawnattr_t} (336 bytes) and {@code posix_spawn_file_actions_t} (80) of any glibc. */
    private static final int OPAQUE = 1024;

    private static final int SIGNAL_SET = 128;

    private static final MethodHandle SPAWN =
            Bindings.bindReturning("posix_spawn", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
    private static final MethodHandle ACTIONS_INIT =
            Bindings.bindReturning("posix_spawn_file_actions_init", JAVA_INT, ADDRESS);
    private static final MethodHandle ACTIONS_DESTROY =
            Bindings.bindReturning("posix_spawn_file_actions_destroy", JAVA_INT, ADDRESS);
    private static final MethodHandle ADD_OPEN = Bindings.bindReturning(
            "posix_spawn_file_actions_addopen", JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
    private static final MethodHandle ADD_CLOSE =
            Bindings.bindReturning("posix_spawn_file_actions_addclose", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle ADD_CLOSE_FROM =
            Bindings.bindReturning("posix_spawn_file_actions_addclosefrom_np", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle ADD_CHDIR =
            Bindings.bindReturning("posix_spawn_file_actions_addchdir_np", JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle ATTR_INIT = Bindings.bindReturning("posix_spawnattr_init", JAVA_INT, ADDRESS);
    private static final MethodHandle ATTR_FLAGS =
            Bindings.bindReturning("posix_spawnattr_setflags", JAVA_INT, ADDRESS, JAVA_SHORT);
    private static final MethodHandle ATTR_DEFAULT =
            Bindings.bindReturning("posix_spawnattr_setsigdefault", JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle ATTR_MASK =
            Bindings.bindReturning("posix_spawnattr_setsigmask", JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle FILL = Bindings.bindReturning("sigfillset", JAVA_INT, ADDRESS);
    /** Read by every spawn, changed by none. */
    private static final MemorySegment ATTRIBUTES = attributes();

    private final List<Action> actions = new ArrayList<>();

    private interface Action {
        int add(MemorySegment actions, Arena arena) throws Throwable;
    }

    /** Closes every descriptor from {@code fd} on; actions happen in the order they are asked for. */
    public Spawn closeFrom(int fd) {
        actions.add((list, _) -> (int) ADD_CLOSE_FROM.invokeExact(list, fd));
        return this;
    }

    public Spawn close(int fd) {
        actions.add((list, _) -> (int) ADD_CLOSE.invokeExact(list, fd));
        return this;
    }

    /** Opens a file as {@code fd}; {@code flags} are those of {@link Descriptor}. */
    public Spawn open(int fd, Path path, int flags, int mode) {
        actions.add((list, arena) ->
                (int) ADD_OPEN.invokeExact(list, fd, arena.allocateFrom(path.toString()), flags, mode));
        return this;
    }

    public Spawn workdir(Path path) {
        actions.add((list, arena) -> (int) ADD_CHDIR.invokeExact(list, arena.allocateFrom(path.toString())));
        return this;
    }

    /**
     * Blocks until the program has replaced the child, about half a millisecond.
     *
     * @param argv the name it sees first; UTF-8, without NUL
     * @param environment all of it
     * @return its pid: a child, to be reaped by {@link Processes#reap}
     * @throws ErrnoException what the first failing step met, such as ENOENT or E2BIG
     */
    public long start(Path program, List<String> argv, Map<String, String> environment) {
        List<String> variables = new ArrayList<>(environment.size());
        environment.forEach((name, value) -> variables.add(name + "=" + value));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment list = arena.allocate(OPAQUE, 16);
            succeed("posix_spawn_file_actions_init", (int) ACTIONS_INIT.invokeExact(list));
            try {
                for (Action action : actions) {
                    succeed("posix_spawn_file_actions", action.add(list, arena));
                }
                MemorySegment pid = arena.allocate(JAVA_INT);
                succeed("posix_spawn " + program, (int) SPAWN.invokeExact(
                        pid,
                        arena.allocateFrom(program.toString()),
                        list,
                        ATTRIBUTES,
                        Bindings.strings(argv, arena),
                        Bindings.strings(variables, arena)));
                return pid.get(JAVA_INT, 0);
            } finally {
                int _ = (int) ACTIONS_DESTROY.invokeExact(list);
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new LinkageError("a downcall threw", e);
        }
    }

    private static MemorySegment attributes() {
        Arena arena = Arena.global();
        MemorySegment attributes = arena.allocate(OPAQUE, 16);
        MemorySegment all = arena.allocate(SIGNAL_SET, 8);
        MemorySegment none = arena.allocate(SIGNAL_SET, 8);
        short flags = SETSIGDEF | SETSIGMASK | SETSID;
        try {
            succeed("posix_spawnattr_init", (int) ATTR_INIT.invokeExact(attributes));
            succeed("sigfillset", (int) FILL.invokeExact(all));
            succeed("posix_spawnattr_setflags", (int) ATTR_FLAGS.invokeExact(attributes, flags));
            succeed("posix_spawnattr_setsigdefault", (int) ATTR_DEFAULT.invokeExact(attributes, all));
            succeed("posix_spawnattr_setsigmask", (int) ATTR_MASK.invokeExact(attributes, none));
            return attributes;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new LinkageError("a downcall threw", e);
        }
    }

    private static void succeed(String call, int errno) {
        if (errno != 0) {
            throw new ErrnoException(call, errno);
        }
    }
}
