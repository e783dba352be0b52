package dev.holdfast.host.facts;

import dev.holdfast.host.proc.ProcFiles;
import dev.holdfast.host.proc.ProcessStat;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/** A process' arguments as they are shown. */
final class CommandLine {
    private static final int MOST_BYTES = 4096;
    private static final Pattern END = Pattern.compile("\0");

    private CommandLine() {}

    /** Of its first 4096 bytes; empty where it has none. */
    static List<String> of(ProcessStat process) {
        byte[] bytes = new byte[MOST_BYTES];
        int length = ProcFiles.read(process.folder() + "/cmdline", bytes);
        String line = new String(bytes, 0, length, StandardCharsets.UTF_8);
        return line.isBlank() ? List.of() : List.of(END.split(line));
    }
}
