package dev.holdfast.host.facts;

import dev.holdfast.host.proc.OpenFiles;
import dev.holdfast.host.proc.ProcFiles;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.kernel.TcpListeners;
import dev.holdfast.task.ProcessIdentity;
import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * TCP listeners, v4 and v6, by the kernel's tables and the sockets that processes hold. A table belongs to a network
 * namespace: our own is got by asking the kernel, others are read in {@code /proc}, which takes milliseconds. What a
 * process holds is read when it is first seen, when a listener is new, and when it has opened or closed something since
 * (as its number of descriptors tells, Linux 6.2): one that gets another's old listener and closes as much is not
 * noticed. Thread-safe.
 */
final class ListeningPorts {
    private static final Pattern BLANKS = Pattern.compile("\\s+");
    private static final int LOCAL_ADDRESS = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;
    private static final String LISTEN = "0A";
    private static final int MANY = 1000;

    private final ConcurrentMap<ProcessIdentity, Held> known = new ConcurrentHashMap<>();
    /** With so many known those that ended are let go of. */
    private volatile int tooMany = MANY;

    /**
     * Which listeners a process held.
     *
     * @param table all there were in its namespace
     * @param descriptors how many it had open
     */
    private record Held(Map<Long, Integer> table, long descriptors, Set<Long> inodes) {
        boolean holds(Map<Long, Integer> now, long descriptorsNow) {
            return descriptors == descriptorsNow
                    && (table.equals(now) || table.keySet().containsAll(now.keySet()));
        }
    }

    /** Ports by the inode of their socket, of each namespace that is asked for, as they are now. For one thread. */
    static final class Tables {
        private final String namespace = String.valueOf(ProcFiles.link("/proc/self/ns/net"));
        private final Map<String, Map<Long, Integer>> tables = new HashMap<>();

        private Tables() {
            tables.put(namespace, TcpListeners.portsByInode().orElseGet(() -> table("/proc/self")));
        }

        /** Those of our own namespace. */
        Map<Long, Integer> own() {
            return Objects.requireNonNull(tables.get(namespace));
        }

        private Map<Long, Integer> of(ProcessStat process) {
            String its = ProcFiles.link(process.folder() + "/ns/net");
            return its == null ? Map.of() : tables.computeIfAbsent(its, _ -> table(process.folder()));
        }
    }

    static Tables now() {
        return new Tables();
    }

    /** The ports that any of these processes holds a listener of. */
    NavigableSet<Integer> of(Collection<ProcessStat> processes, Tables now) {
        NavigableSet<Integer> ports = new TreeSet<>();
        for (ProcessStat process : processes) {
            Map<Long, Integer> table = now.of(process);
            if (!table.isEmpty()) {
                held(process, table).stream()
                        .flatMap(inode -> Stream.ofNullable(table.get(inode)))
                        .forEach(ports::add);
            }
        }
        return ports;
    }

    private Set<Long> held(ProcessStat process, Map<Long, Integer> table) {
        long descriptors = OpenFiles.of(process).count();
        Held before = known.get(process.identity());
        if (before != null && before.holds(table, descriptors)) {
            return before.inodes();
        }
        if (known.size() > tooMany) {
            known.keySet().removeIf(identity -> !ProcessTable.alive(identity));
            tooMany = 2 * known.size() + MANY;
        }
        Set<Long> inodes = OpenFiles.of(process)
                .sockets()
                .filter(table::containsKey)
                .boxed()
                .collect(Collectors.toSet());
        known.put(process.identity(), new Held(table, descriptors, inodes));
        return inodes;
    }

    /** The slow way, for another namespace or a kernel that does not answer. */
    static Map<Long, Integer> table(String folder) {
        Map<Long, Integer> byInode = new HashMap<>();
        read(folder + "/net/tcp", byInode);
        read(folder + "/net/tcp6", byInode);
        return byInode;
    }

    /** The kernel lists listeners first: reading ends at the first other row, however many connections there are. */
    private static void read(String path, Map<Long, Integer> into) {
        try (BufferedReader lines = new BufferedReader(new FileReader(path, StandardCharsets.US_ASCII))) {
            lines.readLine();
            String line;
            while ((line = lines.readLine()) != null) {
                String[] words = BLANKS.split(line.strip(), -1);
                if (words.length <= INODE || !words[STATE].equals(LISTEN)) {
                    return;
                }
                String address = words[LOCAL_ADDRESS];
                int port = Integer.parseInt(address, address.indexOf(':') + 1, address.length(), 16);
                into.put(Long.parseLong(words[INODE]), port);
            }
        } catch (IOException gone) {
            return; // the process is gone, or this kernel has no IPv6: no listeners there
        }
    }
}
