package dev.holdfast.host.facts;

import dev.holdfast.host.proc.ProcFiles;
import dev.holdfast.host.proc.ProcessStat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The descriptors a sleeping thread waits to read from: the sets that it gave to select and poll are read from its own
 * memory, an epoll's from the kernel's list.
 */
final class WaitedDescriptors {
    private static final Pattern BLANKS = Pattern.compile("\\s+");
    private static final int MOST = 4096;
    private static final int POLLFD = 8;
    /** {@code POLLIN | POLLRDNORM}; epoll has the same. */
    private static final int READABLE = 0x41;

    private WaitedDescriptors() {}

    /** Empty also when its memory cannot be read. */
    static List<Long> of(ProcessStat process, SystemCall call) {
        String folder = process.folder();
        return switch (call.kind()) {
            case READ -> List.of(call.first());
            case SELECT -> select(folder, call.first(), call.second());
            case POLL, PPOLL -> poll(folder, call.first(), call.second());
            case EPOLL, EPOLL2 -> epoll(ProcFiles.text(folder + "/fdinfo/" + call.first()));
            case RESTARTED, PARKED, OTHER -> List.of();
        };
    }

    private static List<Long> select(String folder, long count, long address) {
        int bits = Math.clamp(count, 0, MOST);
        byte[] set = memory(folder, address, (bits + 7) / 8);
        List<Long> descriptors = new ArrayList<>();
        for (int fd = 0; fd < Math.min(bits, 8 * set.length); fd++) {
            if (((set[fd / 8] >> (fd % 8)) & 1) != 0) {
                descriptors.add((long) fd);
            }
        }
        return descriptors;
    }

    private static List<Long> poll(String folder, long address, long count) {
        byte[] array = memory(folder, address, POLLFD * Math.clamp(count, 0, MOST));
        ByteBuffer buffer = ByteBuffer.wrap(array).order(ByteOrder.nativeOrder());
        List<Long> descriptors = new ArrayList<>();
        for (int at = 0; at + POLLFD <= array.length; at += POLLFD) {
            int fd = buffer.getInt(at);
            if (fd >= 0 && (buffer.getShort(at + Integer.BYTES) & READABLE) != 0) {
                descriptors.add((long) fd);
            }
        }
        return descriptors;
    }

    /** @param info lines {@code tfd: 12 events: 19 data: …} of proc_pid_fdinfo(5), events in hexadecimal */
    static List<Long> epoll(String info) {
        List<Long> descriptors = new ArrayList<>();
        for (String line : info.lines().toList()) {
            String[] words = BLANKS.split(line.strip(), -1);
            if (words.length >= 4
                    && "tfd:".equals(words[0])
                    && (Long.parseUnsignedLong(words[3], 16) & READABLE) != 0) {
                descriptors.add(Long.parseLong(words[1]));
            }
        }
        return descriptors;
    }

    private static byte[] memory(String folder, long address, int length) {
        byte[] bytes = new byte[length];
        return address > 0 && ProcFiles.readAt(folder + "/mem", address, bytes) ? bytes : new byte[0];
    }
}
