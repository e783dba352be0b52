package dev.holdfast.host.facts;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Whether what was printed ends in the midst of a line, as a question does, with something on it. */
final class LastLine {
    private static final int LOOKED_AT = 4096;
    /** To the first column: what was there is about to be overwritten, as a progress bar is. */
    private static final Pattern BACK = Pattern.compile("\u001b\\[[01]?G");
    /** Sequences of ECMA-48 5.4 and 5.6, and two-character ones. */
    private static final Pattern ESCAPE =
            Pattern.compile("\u001b(\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^\u0007\u001b]*(\u0007|\u001b\\\\)?|[ -/]*[0-~])");

    private LastLine() {}

    static boolean isUnfinished(Path file) {
        return isUnfinished(tail(file));
    }

    static boolean isUnfinished(String printed) {
        String plain = ESCAPE.matcher(BACK.matcher(printed).replaceAll("\r")).replaceAll("");
        int begin = Math.max(plain.lastIndexOf('\n'), plain.lastIndexOf('\r')) + 1;
        return !plain.substring(begin).isBlank();
    }

    private static String tail(Path path) {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            long length = file.length();
            byte[] bytes = new byte[(int) Math.min(length, LOOKED_AT)];
            file.seek(length - bytes.length);
            file.readFully(bytes);
            return new String(bytes, StandardCharsets.ISO_8859_1);
        } catch (IOException none) {
            return "";
        }
    }
}
