package dev.holdfast.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One socket of the kernel's process events connector (Documentation/driver-api/connector.rst, linux/cn_proc.h) that is
 * told of one kind of events. The choice of a kind is a filter that kernels have since 6.6, which give it to any user too.
 * Nobody is woken by an event: they lie in the socket's buffer, up to 8 MiB of it, until they are read. Once they do not
 * fit, all are lost until the buffer has been read empty (netlink_broadcast_deliver and netlink_rcv_wake in
 * net/netlink/af_netlink.c). Not thread-safe.
 */
final class ProcessEvents implements AutoCloseable {
    /** What a read came to. */
    enum Read {
        EVENT,
        /** Some events after those that can still be read are missing. */
        LOSS,
        NOTHING
    }

    private static final int AF_NETLINK = 16;
    private static final int DATAGRAM = 2 | Libc.O_CLOEXEC | Descriptor.NON_BLOCKING;
    private static final int NETLINK_CONNECTOR = 11;
    private static final int CN_IDX_PROC = 1;
    private static final int CN_VAL_PROC = 1;
    private static final int PROC_CN_MCAST_LISTEN = 1;
    private static final int PROC_CN_MCAST_IGNORE = 2;

    private static final short NLMSG_DONE = 3;
    /** {@code struct nlmsghdr}, then {@code struct cn_msg}, whose data is a {@code struct proc_event}. */
    private static final int CONNECTOR = 16;

    private static final int EVENT = CONNECTOR + 20;
    /** Within the event: {@code what}, {@code cpu}, a time; then the part that each kind has for itself. */
    private static final int DETAILS = EVENT + 16;

    private static final int MESSAGE = DETAILS + 24;
    private static final int REQUEST = EVENT + 8;

    private static final int BUFFER_BYTES = 8 << 20;
    private static final int BUFFER = 4096;
    /** The first namespace of process ids has this number (PROC_PID_INIT_INO); events carry its pids, in any other too. */
    private static final String FIRST_NAMESPACE = "pid:[4026531836]";

    private static final Pattern VERSION = Pattern.compile("(\\d{1,6})\\.(\\d{1,3})");

    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(BUFFER, 8);
    private final int socket;
    private final int what;
    private final int filter;

    private ProcessEvents(int socket, int what, int filter) {
        this.socket = socket;
        this.what = what;
        this.filter = filter;
    }

    /**
     * Listens from now on.
     *
     * @param what the kind of events, as they call themselves
     * @param filter the kind as it is asked for
     * @return empty where the kernel has no such filter, or its events name pids that mean others here (in a container)
     */
    static Optional<ProcessEvents> open(int what, int filter) {
        if (!hasFilter() || !inFirstNamespace()) {
            return Optional.empty();
        }
        long socket = Libc.socket(AF_NETLINK, DATAGRAM, NETLINK_CONNECTOR);
        if (socket < 0) {
            return Optional.empty();
        }
        ProcessEvents events = new ProcessEvents((int) socket, what, filter);
        if (events.bind() && events.listen()) {
            return Optional.of(events);
        }
        events.close();
        return Optional.empty();
    }

    private static boolean hasFilter() {
        Matcher version = VERSION.matcher(System.getProperty("os.version"));
        return version.lookingAt()
                && 1000 * Integer.parseInt(version.group(1)) + Integer.parseInt(version.group(2)) >= 6006;
    }

    static boolean inFirstNamespace() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/ns/pid"))
                    .toString()
                    .equals(FIRST_NAMESPACE);
        } catch (IOException none) {
            return false; // no namespaces in this kernel, or no /proc
        }
    }

    private boolean bind() {
        Libc.receiveBuffer(socket, BUFFER_BYTES);
        MemorySegment address = buffer.asSlice(0, 12).fill((byte) 0);
        address.set(JAVA_SHORT, 0, (short) AF_NETLINK);
        address.set(JAVA_INT, 8, CN_IDX_PROC);
        return Libc.bind(socket, address) >= 0;
    }

    /** Events of what happens after this has returned come, until they are ignored. One system call. */
    boolean listen() {
        return ask(PROC_CN_MCAST_LISTEN);
    }

    /** Nothing more comes; what came before can still be read. */
    boolean ignore() {
        return ask(PROC_CN_MCAST_IGNORE);
    }

    private boolean ask(int operation) {
        MemorySegment request = buffer.asSlice(0, REQUEST).fill((byte) 0);
        request.set(JAVA_INT, 0, REQUEST);
        request.set(JAVA_SHORT, 4, NLMSG_DONE);
        request.set(JAVA_INT, CONNECTOR, CN_IDX_PROC);
        request.set(JAVA_INT, CONNECTOR + 4, CN_VAL_PROC);
        request.set(JAVA_SHORT, CONNECTOR + 16, (short) 8);
        request.set(JAVA_INT, EVENT, operation);
        request.set(JAVA_INT, EVENT + 4, filter);
        return Libc.write(socket, request) == REQUEST;
    }

    /** Takes the oldest event that was not read yet; its numbers are there until the next call of any method. */
    Read read() {
        while (true) {
            long length = Libc.read(socket, buffer);
            if (length == -ErrnoException.ENOBUFS) {
                return Read.LOSS;
            }
            if (length < 0) {
                return Read.NOTHING; // EAGAIN
            }
            if (length >= MESSAGE && buffer.get(JAVA_INT, EVENT) == what) {
                return Read.EVENT;
            }
        }
    }

    /** CLOCK_MONOTONIC, nanoseconds. */
    long time() {
        return buffer.get(JAVA_LONG_UNALIGNED, EVENT + 8);
    }

    /** @param index of the numbers that this kind of event has, from 0 */
    int number(int index) {
        return buffer.get(JAVA_INT, DETAILS + 4L * index);
    }

    /** Says first that it listens no more: the kernel counts its listeners, and a mere close does not lower the count. */
    @Override
    public void close() {
        ignore();
        Libc.close(socket);
        arena.close();
    }
}
