package dev.holdfast.kernel;

import static dev.holdfast.kernel.LibcFunction.address;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A process to be started by {@code posix_spawn(3)}: leader of a session of its own, no signal ignored or blocked, and
 * no descriptor from 3 on but those asked for, in the order they are asked for. Used once, by one thread.
 */
public final class Spawn {
    private static final int SETSIGDEF = 0x4;
    private static final int SETSIGMASK = 0x8;
    private static final int SETSID = 0x80;
    /** Larger than {@code posix_spawnattr_t} (336 bytes) and {@code posix_spawn_file_actions_t} (80) of any glibc. */
    private static final int OPAQUE = 1024;

    private static final int SIGNAL_SET = 128;
    /** After stdin, stdout and stderr. */
    private static final int FIRST_OTHER = 3;

    private static final LibcFunction SPAWN = LibcFunction.ofInt("posix_spawn");
    private static final LibcFunction ACTIONS_INIT = LibcFunction.ofInt("posix_spawn_file_actions_init");
    private static final LibcFunction ACTIONS_DESTROY = LibcFunction.ofInt("posix_spawn_file_actions_destroy");
    private static final LibcFunction ADD_OPEN = LibcFunction.ofInt("posix_spawn_file_actions_addopen");
    private static final LibcFunction ADD_CLOSE = LibcFunction.ofInt("posix_spawn_file_actions_addclose");
    private static final LibcFunction ADD_CLOSE_FROM = LibcFunction.ofInt("posix_spawn_file_actions_addclosefrom_np");
    private static final LibcFunction ADD_CHDIR = LibcFunction.ofInt("posix_spawn_file_actions_addchdir_np");
    private static final LibcFunction ATTR_INIT = LibcFunction.ofInt("posix_spawnattr_init");
    private static final LibcFunction ATTR_FLAGS = LibcFunction.ofInt("posix_spawnattr_setflags");
    private static final LibcFunction ATTR_DEFAULT = LibcFunction.ofInt("posix_spawnattr_setsigdefault");
    private static final LibcFunction ATTR_MASK = LibcFunction.ofInt("posix_spawnattr_setsigmask");
    private static final LibcFunction FILL = LibcFunction.ofInt("sigfillset");
    /** Read by every spawn, changed by none. */
    private static final long ATTRIBUTES = attributes();

    private final List<Action> actions = new ArrayList<>();

    private interface Action {
        long add(long list, Arena arena);
    }

    public Spawn close(int fd) {
        actions.add((list, _) -> ADD_CLOSE.call(list, fd));
        return this;
    }

    /** Opens a file as {@code fd}; {@code flags} are those of {@link Descriptor}. */
    public Spawn open(int fd, Path path, int flags, int mode) {
        actions.add((list, arena) -> ADD_OPEN.call(list, fd, address(arena, path), flags, mode));
        return this;
    }

    public Spawn workdir(Path path) {
        actions.add((list, arena) -> ADD_CHDIR.call(list, address(arena, path)));
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
            long list = address(arena.allocate(OPAQUE, 16));
            succeed("posix_spawn_file_actions_init", ACTIONS_INIT.call(list));
            try {
                succeed("posix_spawn_file_actions", ADD_CLOSE_FROM.call(list, FIRST_OTHER));
                for (Action action : actions) {
                    succeed("posix_spawn_file_actions", action.add(list, arena));
                }
                MemorySegment pid = arena.allocate(JAVA_INT);
                succeed(
                        "posix_spawn " + program,
                        SPAWN.call(
                                address(pid),
                                address(arena, program),
                                list,
                                ATTRIBUTES,
                                strings(arena, argv),
                                strings(arena, variables)));
                return pid.get(JAVA_INT, 0);
            } finally {
                ACTIONS_DESTROY.call(list);
            }
        }
    }

    /** As {@code argv} and {@code envp} are passed: pointers to each, then NULL. */
    private static long strings(Arena arena, List<String> texts) {
        MemorySegment array = arena.allocate(JAVA_LONG, texts.size() + 1L);
        for (int i = 0; i < texts.size(); i++) {
            array.setAtIndex(JAVA_LONG, i, address(arena, texts.get(i)));
        }
        return address(array);
    }

    private static long attributes() {
        Arena arena = Arena.global();
        long attributes = address(arena.allocate(OPAQUE, 16));
        long all = address(arena.allocate(SIGNAL_SET, 8));
        long none = address(arena.allocate(SIGNAL_SET, 8));
        succeed("posix_spawnattr_init", ATTR_INIT.call(attributes));
        succeed("sigfillset", FILL.call(all));
        succeed("posix_spawnattr_setflags", ATTR_FLAGS.call(attributes, SETSIGDEF | SETSIGMASK | SETSID));
        succeed("posix_spawnattr_setsigdefault", ATTR_DEFAULT.call(attributes, all));
        succeed("posix_spawnattr_setsigmask", ATTR_MASK.call(attributes, none));
        return attributes;
    }

    /** They return errno, and do not set it. */
    private static void succeed(String call, long errno) {
        if (errno != 0) {
            throw new ErrnoException(call, (int) errno);
        }
    }
}
