package dev.holdfast.output.search;

import dev.holdfast.output.Escapes;
import dev.holdfast.output.StreamFile;
import dev.holdfast.output.StreamFile.Chunk;
import dev.holdfast.runtime.port.OutputStore.Gap;
import java.util.ArrayList;
import java.util.List;

/**
 * The lines around one that was found, as text. They are looked for within a block on either side, and not beyond a
 * gap: where lines are that long there may be fewer than asked for, and the outermost is cut.
 *
 * @param block to read into
 * @param most how many lines on either side
 * @param beginnings where their text begins
 */
record Surroundings(StreamFile file, byte[] block, int most, Beginnings beginnings) {
    /** @param lineStart where the line that was found begins */
    List<String> before(long lineStart) {
        if (most == 0) {
            return List.of();
        }
        long from = Math.max(least(lineStart), lineStart - block.length);
        Chunk chunk = file.read(from, (int) (lineStart - from), block);
        int end = chunk.start() == from ? chunk.length() : 0;
        int start = end;
        for (int i = 0; i < most && start > 0; i++) {
            start = Lines.start(block, 0, start - 1);
        }
        return lines(from, start, end);
    }

    /** @param lineEnd after the line that was found */
    List<String> after(long lineEnd) {
        if (most == 0) {
            return List.of();
        }
        long from = Math.max(least(lineEnd - 1), lineEnd - 2 * Escapes.SHORT);
        Chunk chunk = file.read(from, block.length, block);
        int end = chunk.start() == from ? chunk.length() : 0;
        return lines(from, Lines.end(block, (int) Math.min(end, lineEnd - 1 - from), end), end);
    }

    /** Where what is kept begins that goes on at this offset. */
    private long least(long offset) {
        Gap gap = file.gap(file.size());
        return gap == null || gap.to() > offset ? 0 : gap.to();
    }

    /** @param start the offset of the block, which is taken for text where none of it is shown */
    private List<String> lines(long start, int from, int to) {
        beginnings.startAt(from > 0 ? start : 0);
        List<String> lines = new ArrayList<>();
        int end = from;
        for (int at = from; at < to && lines.size() < most; at = end) {
            end = Lines.end(block, at, to);
            long begin = beginnings.of(block, start, at, to) - start;
            if (begin < end) {
                String text = Lines.text(block, (int) begin, end, false);
                lines.add(Excerpt.around(text, at == 0 && start > 0 ? text.length() : 0));
            }
        }
        return lines;
    }
}
