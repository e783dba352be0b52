package dev.holdfast.host;

import dev.holdfast.kernel.TcpListeners;
import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * TCP listeners, v4 and v6, by the kernel's tables and the sockets that processes hold. A table belongs to a network
 * namespace and is read once for each: our own by asking the kernel, others in {@code /proc}, which takes milliseconds.
 */
final class ListeningPorts {
    private static final Pattern BLANKS = Pattern.compile("\\s+");
    private static final int LOCAL_ADDRESS = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;
    private static final String LISTEN = "0A";

    /** Of each network namespace that was asked for, as it was then. */
    private final Map<String, Map<Long, Integer>> tables = new HashMap<>();

    /** As they are from now on: a table is read when it is first needed. For one thread. */
    ListeningPorts() {}

    /** The ports that any of these processes holds a listener of. */
    SortedSet<Integer> of(Collection<ProcessStat> processes) {
        SortedSet<Integer> ports = new TreeSet<>();
        for (ProcessStat process : processes) {
            String namespace = ProcFiles.link(process.folder() + "/ns/net");
            if (namespace != null) {
                Map<Long, Integer> listeners = tables.computeIfAbsent(namespace, name -> listeners(name, process));
                ports.addAll(held(process, listeners));
            }
        }
        return ports;
    }

    /** Whether anybody listens on the port in our own network namespace. */
    static boolean anywhere(int port) {
        return own().containsValue(port);
    }

    private static List<Integer> held(ProcessStat process, Map<Long, Integer> listeners) {
        return listeners.isEmpty()
                ? List.of()
                : OpenFiles.of(process)
                        .sockets()
                        .filter(listeners::containsKey)
                        .mapToObj(listeners::get)
                        .toList();
    }

    /** Ports by the inode of their socket. */
    private static Map<Long, Integer> listeners(String namespace, ProcessStat process) {
        return namespace.equals(ProcFiles.link("/proc/self/ns/net")) ? own() : table(process.folder());
    }

    private static Map<Long, Integer> own() {
        return TcpListeners.portsByInode().orElseGet(() -> table("/proc/self"));
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
