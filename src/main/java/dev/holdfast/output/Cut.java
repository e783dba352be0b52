package dev.holdfast.output;

import dev.holdfast.output.Previews.Shown;
import dev.holdfast.output.StreamFile.Chunk;
import dev.holdfast.runtime.port.OutputStore.Gap;
import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * Shortens one stream to its head and its tail, cut where a line ends when that is near, else between characters, with
 * a line between them that counts the bytes left out. Bytes of the stream, not characters: those that the two texts
 * stand for and those left out make the whole.
 */
final class Cut {
    /** How often another length is tried because escapes left room. */
    private static final int MOST_ROUNDS = 8;

    /** So many bytes tell whether a character goes on. */
    private static final int LONGEST = 4;

    private static final byte ESC = 0x1b;

    /** A line's end within a quarter of a piece is near. */
    private static final int NEAR = 4;

    private Cut() {}

    /** @param bytes how many of the stream the text stands for */
    private record Piece(String text, int bytes) {}

    /** @param last whether nothing follows the stream's end */
    static Shown of(StreamFile file, int chars, boolean last) {
        int room = Math.max(0, chars - marker(file.size()).length() - 1);
        int headRoom = room / 2;
        byte[] first = file.read(0, headRoom * Previews.READ_AHEAD).bytes();
        Piece head = extend(first.length, headRoom, count -> head(first, count));
        int tailRoom = room - headRoom;
        int window = tailRoom * Previews.READ_AHEAD;
        Chunk end = end(file, head.bytes(), window);
        boolean adjoins = end.start() == head.bytes();
        Piece tail = extend(end.length(), tailRoom, count -> {
            int from = end.length() - count;
            return tail(end.bytes(), adjoins && from == 0 ? 0 : begin(file, end, from, last), last);
        });
        long leftOut = end.next() - head.bytes() - tail.bytes();
        if (leftOut <= 0) {
            return new Shown(head.text() + tail.text(), 0);
        }
        boolean withinLine = !head.text().isEmpty() && !head.text().endsWith("\n");
        return new Shown(head.text() + (withinLine ? "\n" : "") + marker(leftOut) + tail.text(), leftOut);
    }

    private static String marker(long leftOut) {
        return "… " + leftOut + " bytes left out …\n";
    }

    /** The last bytes of the stream, not before {@code least}; it may grow, and lose its middle, meanwhile. */
    private static Chunk end(StreamFile file, long least, int window) {
        while (true) {
            long size = file.size();
            Gap gap = file.gap(size);
            long from = Math.max(Math.max(least, size - window), gap == null ? 0 : gap.to());
            Chunk chunk = file.read(from, window);
            if (chunk.next() >= size || chunk.atEnd()) {
                return chunk;
            }
        }
    }

    /** As much as fits: a character needs at least a byte, and where escapes leave much room, more bytes are taken. */
    private static Piece extend(int available, int room, IntFunction<Piece> cut) {
        int fits = Math.min(room, available);
        int tried = available + 1;
        Piece best = cut.apply(fits);
        while (best.text().length() > room) {
            fits /= 2; // a tab that is overwritten in its middle, or moved, is several blanks
            best = cut.apply(fits);
        }
        for (int i = 0; i < MOST_ROUNDS && tried - fits > 1 && best.text().length() < room - room / NEAR; i++) {
            int count = i == 0 ? available : fits + (tried - fits) / 2;
            Piece longer = cut.apply(count);
            // Less text for more bytes: a line that is written over.
            if (longer.text().length() > room
                    || longer.text().length() < best.text().length()) {
                tried = count;
            } else {
                best = longer;
                fits = count;
            }
        }
        return best;
    }

    /** Ends with a line when one ends near, or the next is written over: it did not stay as it stood there. */
    private static Piece head(byte[] bytes, int count) {
        int start = count;
        while (start > 0 && bytes[start - 1] != '\n') {
            start--;
        }
        boolean seesLittle = count > bytes.length / 2;
        boolean over = isWrittenOver(bytes, count) || (seesLittle && isWrittenOver(bytes, start));
        int end = over || start > count - count / NEAR ? start : count;
        TextView.Rendered rendered = TextView.render(bytes, 0, end, false);
        return new Piece(rendered.text(), rendered.end());
    }

    /** Whether something from there to the line's end moves back in it, or erases what stands before. */
    private static boolean isWrittenOver(byte[] bytes, int from) {
        for (int i = from; i < bytes.length && bytes[i] != '\n'; i++) {
            int next = i + 1;
            if (bytes[i] == '\r') {
                while (next < bytes.length && bytes[next] == '\r') {
                    next++;
                }
                if (next < bytes.length && bytes[next] != '\n') {
                    return true;
                }
            } else if (bytes[i] == ESC && next < bytes.length && bytes[next] == '[') {
                do {
                    next++;
                } while (next < bytes.length && bytes[next] >= '0' && bytes[next] <= ';');
                boolean erasesBefore = bytes[next - 1] == '1' || bytes[next - 1] == '2';
                if (next < bytes.length
                        && ("DGu`".indexOf(bytes[next]) >= 0 || (erasesBefore && "JK".indexOf(bytes[next]) >= 0))) {
                    return true;
                }
            } else if (bytes[i] == '\b' || (bytes[i] == ESC && next < bytes.length && bytes[next] == '8')) {
                return true;
            }
        }
        return false;
    }

    private static Piece tail(byte[] bytes, int begin, boolean last) {
        TextView.Rendered rendered = TextView.render(bytes, begin, bytes.length, last);
        return new Piece(rendered.text(), bytes.length - begin);
    }

    /** Behind the character or escape that goes on at {@code from}; behind a line's end when that is near. */
    private static int begin(StreamFile file, Chunk end, int from, boolean last) {
        byte[] bytes = end.bytes();
        byte[] there = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + LONGEST));
        int rest = file.rest(end.start() + from, there, last);
        int begin = rest < 0 ? bytes.length : Math.min(from + rest, bytes.length);
        int near = from == 0 ? -1 : begin + (bytes.length - begin) / NEAR;
        for (int i = begin; i >= 0 && i <= near && i < bytes.length; i = TextView.unit(bytes, i, bytes.length, last)) {
            if (i > 0 && bytes[i - 1] == '\n') {
                return i;
            }
        }
        return begin;
    }
}
