package dev.holdfast.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A function of libc, of up to six whole numbers or pointers. All are called in one shape, six longs and a long back,
 * since each shape that is bound costs the start of a process 5 to 7 ms (measured) and the JVM keeps none of it in its
 * cache. The ABIs of x86-64 (System V) and of arm64 Linux (AAPCS64) allow it: whole numbers and pointers lie in
 * registers, of which a function reads as many as it has parameters, and of each as much as its type is wide; variable
 * ones lie in the same registers.
 */
final class LibcFunction {
    private static final int PARAMETERS = 6;
    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));
    private static final MethodHandle CALL = LINKER.downcallHandle(
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
            Linker.Option.captureCallState("errno"),
            Linker.Option.firstVariadicArg(1)); // so that one with variable ones is called rightly; others do not look
    /** Where errno goes: one for each call at a time, as many as there ever were calls at once. Never freed. */
    private static final Queue<MemorySegment> STATES = new ConcurrentLinkedQueue<>();

    private final MemorySegment address;
    private final boolean isLong;

    private LibcFunction(String name, boolean isLong) {
        this.address = LINKER.defaultLookup()
                .find(name)
                .orElseThrow(() -> new UnsatisfiedLinkError(
                        "this libc has no " + name + ": Holdfast needs Linux with glibc 2.34 or newer"));
        this.isLong = isLong;
    }

    /** One that returns an {@code int}: of the register it comes in, the upper half means nothing. */
    static LibcFunction ofInt(String name) {
        return new LibcFunction(name, false);
    }

    /** One that returns a {@code long} or a size. */
    static LibcFunction ofLong(String name) {
        return new LibcFunction(name, true);
    }

    /**
     * A call that a signal interrupted is made again.
     *
     * @param arguments at most six; a pointer is an {@link #address}
     * @return the result, or minus errno when it was negative
     */
    long call(long... arguments) {
        while (true) {
            long result = once(arguments);
            if (result != -ErrnoException.EINTR) {
                return result;
            }
        }
    }

    /** The same, but for a call that was interrupted: minus EINTR. */
    long once(long... arguments) {
        long[] a = Arrays.copyOf(arguments, PARAMETERS);
        MemorySegment spare = STATES.poll();
        MemorySegment state = spare == null ? Arena.global().allocate(STATE) : spare;
        try {
            long register = (long) CALL.invokeExact(address, state, a[0], a[1], a[2], a[3], a[4], a[5]);
            long result = isLong ? register : (int) register;
            return result < 0 ? -(int) ERRNO.get(state, 0L) : result;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new LinkageError("a downcall threw", e);
        } finally {
            STATES.add(state);
        }
    }

    /** Of memory that must live as long as the call: its arena is closed after it. */
    static long address(MemorySegment memory) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("of the heap, which moves: " + memory);
        }
        return memory.address();
    }

    /** Of a text in UTF-8, which lives as long as {@code arena}. */
    static long address(Arena arena, Object text) {
        return arena.allocateFrom(text.toString()).address();
    }
}
