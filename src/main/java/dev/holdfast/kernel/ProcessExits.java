package dev.holdfast.kernel;

import static dev.holdfast.kernel.LibcFunction.address;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How processes of this machine ended, as the kernel's process events connector tells it
 * (Documentation/driver-api/connector.rst, linux/cn_proc.h): only ends with a status other than 0 are asked for, by a
 * filter that kernels have since 6.6, which give it to any user too. Nobody is woken by an event: they lie in the
 * socket's buffer until they are read, some thousands of them, and what does not fit is lost. The parent is woken first
 * (do_exit in kernel/exit.c), so that an event may come a moment after the wait it is about; as a rule it is there
 * before. Thread-safe.
 */
public final class ProcessExits implements AutoCloseable {
    /** In place of the parent of a process that had been reaped before its end was told. */
    public static final long NO_PARENT = 0;

    private static final int AF_NETLINK = 16;
    private static final int DATAGRAM = 2 | Libc.O_CLOEXEC | Descriptor.NON_BLOCKING;
    private static final int NETLINK_CONNECTOR = 11;
    private static final int CN_IDX_PROC = 1;
    private static final int CN_VAL_PROC = 1;
    private static final int PROC_CN_MCAST_LISTEN = 1;
    private static final int PROC_CN_MCAST_IGNORE = 2;
    private static final int PROC_EVENT_NONZERO_EXIT = 0x20000000;
    private static final int PROC_EVENT_EXIT = 0x80000000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVBUF = 8;
    private static final int SO_RCVBUFFORCE = 33;

    private static final short NLMSG_DONE = 3;
    /** {@code struct nlmsghdr}, then {@code struct cn_msg}, whose data is a {@code struct proc_event}. */
    private static final int CONNECTOR = 16;

    private static final int EVENT = CONNECTOR + 20;
    /** Within the event: {@code what}, {@code cpu}, a time; then the part that each kind has for itself. */
    private static final int DETAILS = EVENT + 16;

    private static final int PID = DETAILS;
    private static final int CODE = DETAILS + 8;
    private static final int PARENT = DETAILS + 20;
    private static final int MESSAGE = DETAILS + 24;
    private static final int REQUEST = EVENT + 8;

    private static final int BUFFER_BYTES = 8 << 20;
    private static final int BUFFER = 4096;
    /** The first namespace of pids has this number (PROC_PID_INIT_INO); events carry its pids, in any other too. */
    private static final String FIRST_NAMESPACE = "pid:[4026531836]";

    private static final LibcFunction BIND = LibcFunction.ofInt("bind");
    private static final LibcFunction SETSOCKOPT = LibcFunction.ofInt("setsockopt");
    private static final Pattern VERSION = Pattern.compile("(\\d{1,6})\\.(\\d{1,3})");

    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(BUFFER, 8);
    private final int socket;
    private boolean closed;

    /** @param parent the process that it was a child of, or {@link #NO_PARENT} */
    public record Exit(long pid, long parent, WaitStatus status) {}

    private ProcessExits(int socket) {
        this.socket = socket;
    }

    /** Empty where the kernel has no such filter, or its events name pids that mean others here (in a container). */
    public static Optional<ProcessExits> open() {
        long socket = hasFilter() && inFirstNamespace() ? Libc.socket(AF_NETLINK, DATAGRAM, NETLINK_CONNECTOR) : -1;
        if (socket < 0) {
            return Optional.empty();
        }
        ProcessExits exits = new ProcessExits((int) socket);
        if (exits.bind() && exits.ask(PROC_CN_MCAST_LISTEN)) {
            return Optional.of(exits);
        }
        exits.close();
        return Optional.empty();
    }

    private static boolean hasFilter() {
        Matcher version = VERSION.matcher(System.getProperty("os.version"));
        return version.lookingAt()
                && 1000 * Integer.parseInt(version.group(1)) + Integer.parseInt(version.group(2)) >= 6006;
    }

    /** Whether the kernel's numbers of processes mean the same here: not in a container that has its own. */
    public static boolean inFirstNamespace() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/ns/pid"))
                    .toString()
                    .equals(FIRST_NAMESPACE);
        } catch (IOException none) {
            return false; // no namespaces in this kernel, or no /proc
        }
    }

    private boolean bind() {
        MemorySegment size = buffer.asSlice(0, Integer.BYTES);
        size.set(JAVA_INT, 0, BUFFER_BYTES);
        if (SETSOCKOPT.call(socket, SOL_SOCKET, SO_RCVBUFFORCE, address(size), Integer.BYTES) < 0) {
            SETSOCKOPT.call(socket, SOL_SOCKET, SO_RCVBUF, address(size), Integer.BYTES); // as far as this user may
        }
        MemorySegment address = buffer.asSlice(0, 12).fill((byte) 0);
        address.set(JAVA_SHORT, 0, (short) AF_NETLINK);
        address.set(JAVA_INT, 8, CN_IDX_PROC);
        return BIND.call(socket, address(address), address.byteSize()) >= 0;
    }

    private boolean ask(int operation) {
        MemorySegment request = buffer.asSlice(0, REQUEST).fill((byte) 0);
        request.set(JAVA_INT, 0, REQUEST);
        request.set(JAVA_SHORT, 4, NLMSG_DONE);
        request.set(JAVA_INT, CONNECTOR, CN_IDX_PROC);
        request.set(JAVA_INT, CONNECTOR + 4, CN_VAL_PROC);
        request.set(JAVA_SHORT, CONNECTOR + 16, (short) 8);
        request.set(JAVA_INT, EVENT, operation);
        request.set(JAVA_INT, EVENT + 4, PROC_EVENT_NONZERO_EXIT);
        return Libc.write(socket, request) == REQUEST;
    }

    /** Hands over what came since the last call, oldest first. Never blocks. */
    public synchronized void drain(Consumer<Exit> into) {
        while (!closed) {
            long length = Libc.read(socket, buffer);
            if (length < 0 && length != -ErrnoException.ENOBUFS) {
                return; // EAGAIN
            }
            // After a loss (ENOBUFS), what is there can be read.
            if (length >= MESSAGE && buffer.get(JAVA_INT, EVENT) == PROC_EVENT_EXIT) {
                WaitStatus status = new WaitStatus(buffer.get(JAVA_INT, CODE));
                into.accept(new Exit(buffer.get(JAVA_INT, PID), buffer.get(JAVA_INT, PARENT), status));
            }
        }
    }

    /** Says first that it listens no more: the kernel counts its listeners, and a mere close lowers no count. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            ask(PROC_CN_MCAST_IGNORE);
            Libc.close(socket);
            arena.close();
        }
    }
}
