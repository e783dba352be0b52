package dev.holdfast.host.launch;

import dev.holdfast.kernel.ProcessExits;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the kernel looks at in a program that is no script; elf(5).
 *
 * @param whole whether it is a program, as far as its header tells: no object file, and not cut off in there
 * @param own whether it is for this machine, or for the 32-bit one that kernels for it may run as well
 * @param loader who loads it with its libraries, by path; empty for none
 */
record ElfFile(boolean whole, boolean own, String loader) {
    static final String MAGIC = "\u007fELF";

    /** By {@code os.arch}: {@code e_machine} of it and of its 32-bit one. Empty for one that is not known. */
    private static final Set<Integer> OWN =
            switch (System.getProperty("os.arch", "").toLowerCase(Locale.ROOT)) {
                case "amd64" -> Set.of(62, 3);
                case "aarch64" -> Set.of(183, 40);
                default -> Set.of();
            };

    private static final File FORMATS = new File("/proc/sys/fs/binfmt_misc");

    private static final int HEADER = 64;
    private static final int WIDE = 2;
    private static final int BIG_ENDIAN = 2;
    private static final int PROGRAM = 2;
    private static final int PROGRAM_ANYWHERE = 3;
    private static final int LOADER = 3;
    /** Of a path, PATH_MAX. */
    private static final int LONGEST = 4096;

    /**
     * Whether the kernel may have been told of a program that runs files of other formats, as of emulators. Who cannot
     * see that, in a container as a rule, must reckon with it.
     */
    static boolean othersMayRun() {
        String[] told = FORMATS.list();
        if (told == null || told.length == 0) {
            return !ProcessExits.inFirstNamespace();
        }
        return Stream.of(told).anyMatch(name -> !name.equals("register") && !name.equals("status"));
    }

    /** Empty where it cannot be read. */
    static Optional<ElfFile> read(Path program) {
        try (FileChannel file = FileChannel.open(program)) {
            return Optional.of(read(file));
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    private static ElfFile read(FileChannel file) throws IOException {
        ByteBuffer header = bytes(file, 0, HEADER);
        boolean wide = header.get(4) == WIDE;
        ByteOrder order = header.get(5) == BIG_ENDIAN ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        header.order(order);
        int type = header.getShort(16);
        int machine = Short.toUnsignedInt(header.getShort(18));
        boolean own = OWN.isEmpty() || (order == ByteOrder.LITTLE_ENDIAN && OWN.contains(machine));
        long table = wide ? header.getLong(32) : Integer.toUnsignedLong(header.getInt(28));
        int entry = wide ? 56 : 32;
        int entries = Short.toUnsignedInt(header.getShort(wide ? 56 : 44));
        boolean program = (type == PROGRAM || type == PROGRAM_ANYWHERE)
                && header.getShort(wide ? 54 : 42) == entry
                && entries > 0
                && table > 0
                && table <= file.size() - (long) entry * entries;
        return new ElfFile(
                program,
                own,
                program ? loader(file, bytes(file, table, entry * entries).order(order), wide) : "");
    }

    private static String loader(FileChannel file, ByteBuffer table, boolean wide) throws IOException {
        int entry = wide ? 56 : 32;
        for (int at = 0; at < table.limit(); at += entry) {
            if (table.getInt(at) == LOADER) {
                long begin = wide ? table.getLong(at + 8) : Integer.toUnsignedLong(table.getInt(at + 4));
                long length = wide ? table.getLong(at + 32) : Integer.toUnsignedLong(table.getInt(at + 16));
                boolean path = begin > 0 && length > 1 && length <= LONGEST && begin <= file.size() - length;
                return path ? new String(bytes(file, begin, (int) length - 1).array(), StandardCharsets.UTF_8) : "";
            }
        }
        return "";
    }

    /** What the file has not of them is zero, as it is to the kernel. */
    private static ByteBuffer bytes(FileChannel file, long from, int count) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(count);
        while (bytes.hasRemaining() && file.read(bytes, from + bytes.position()) > 0) {
            // a read may give less than was asked for
        }
        return bytes.clear();
    }
}
