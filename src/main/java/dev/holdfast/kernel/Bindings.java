package dev.holdfast.kernel;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** How functions of libc are bound and called: errno captured, calls that a signal interrupted made again. */
final class Bindings {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));
    private static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");

    private Bindings() {}

    /** Where errno goes: one for each call at a time, as many as there ever were calls at once. Never freed. */
    private static final Queue<MemorySegment> STATES = new ConcurrentLinkedQueue<>();

    /** A call; {@code state} goes first. */
    @FunctionalInterface
    interface Call {
        long run(MemorySegment state) throws Throwable;
    }

    /** A call that needs native memory: what is allocated from {@code arena} lives as long as the call. */
    @FunctionalInterface
    interface MemoryCall {
        long run(MemorySegment state, Arena arena) throws Throwable;
    }

    /** A function that sets errno. */
    static MethodHandle bind(String name, MemoryLayout result, MemoryLayout... parameters) {
        return handle(name, FunctionDescriptor.of(result, parameters), CAPTURE);
    }

    /** The same, where the parameters from {@code fixed} on are variable ones. */
    static MethodHandle bindVariadic(String name, int fixed, MemoryLayout result, MemoryLayout... parameters) {
        return handle(name, FunctionDescriptor.of(result, parameters), CAPTURE, Linker.Option.firstVariadicArg(fixed));
    }

    /** A function that returns its error instead of setting errno. */
    static MethodHandle bindReturning(String name, MemoryLayout result, MemoryLayout... parameters) {
        return handle(name, FunctionDescriptor.of(result, parameters));
    }

    private static MethodHandle handle(String name, FunctionDescriptor shape, Linker.Option... options) {
        MemorySegment symbol = LINKER.defaultLookup()
                .find(name)
                .orElseThrow(() -> new UnsatisfiedLinkError(
                        "this libc has no " + name + ": Holdfast needs Linux with glibc 2.34 or newer"));
        return LINKER.downcallHandle(symbol, shape, options);
    }

    /** As {@code argv} and {@code envp} are passed: pointers to each, then NULL. */
    static MemorySegment strings(List<String> texts, Arena arena) {
        MemorySegment array = arena.allocate(ADDRESS, texts.size() + 1L);
        for (int i = 0; i < texts.size(); i++) {
            array.setAtIndex(ADDRESS, i, arena.allocateFrom(texts.get(i)));
        }
        return array;
    }

    /** @return the result, or minus errno when it was negative */
    static long raw(Call call) {
        MemorySegment spare = STATES.poll();
        MemorySegment state = spare == null ? Arena.global().allocate(STATE) : spare;
        try {
            while (true) {
                long result = call.run(state);
                if (result >= 0) {
                    return result;
                }
                int errno = (int) ERRNO.get(state, 0L);
                if (errno != ErrnoException.EINTR) {
                    return -errno;
                }
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new LinkageError("a downcall threw", e);
        } finally {
            STATES.add(state);
        }
    }

    static long raw(MemoryCall call) {
        try (Arena arena = Arena.ofConfined()) {
            return raw(state -> call.run(state, arena));
        }
    }

    /** @throws ErrnoException when it failed; {@code name} says what failed */
    static long checked(String name, long raw) {
        if (raw < 0) {
            throw new ErrnoException(name, (int) -raw);
        }
        return raw;
    }

    /** @param subject what the call was made on, such as a path */
    static long checked(String name, Object subject, long raw) {
        return raw < 0 ? checked(name + " " + subject, raw) : raw;
    }
}
