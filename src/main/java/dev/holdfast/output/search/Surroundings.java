package dev.holdfast.output.search;

import dev.holdfast.output.StreamFile;
import dev.holdfast.output.StreamFile.Chunk;
import dev.holdfast.output.TextView;
import dev.holdfast.runtime.port.OutputStore.Gap;
import java.util.ArrayList;
import java.util.List;

/**
 * The lines around one that was found, as text. They are looked for within a block on either side, and not beyond a
 * gap: where lines are that long there may be fewer than asked for, and the outermost is cut.
 *
 * @param block to read into
 * @param most how many lines on either side
 */
record Surroundings(StreamFile file, byte[] block, int most) {
    /** @param lineStart where the line that was found begins */
    List<String> before(long lineStart) {
        if (most == 0) {
            return List.of();
        }
        Gap gap = file.gap(file.size());
        long least = gap == null || gap.to() > lineStart ? 0 : gap.to();
        long from = Math.max(least, lineStart - block.length);
        Chunk chunk = file.read(from, (int) (lineStart - from), block);
        List<String> lines = new ArrayList<>();
        int end = chunk.start() == from ? chunk.length() : 0;
        while (end > 0 && lines.size() < most) {
            int start = Lines.start(block, 0, end - 1);
            String text = text(start, end);
            lines.add(Excerpt.around(text, start == 0 && from > 0 ? text.length() : 0));
            end = start;
        }
        return lines.reversed();
    }

    /** @param lineEnd after the line that was found */
    List<String> after(long lineEnd) {
        if (most == 0) {
            return List.of();
        }
        Chunk chunk = file.read(lineEnd - 1, block.length, block);
        List<String> lines = new ArrayList<>();
        int length = chunk.start() == lineEnd - 1 ? chunk.length() : 0;
        int start = Lines.end(block, 0, length);
        while (start < length && lines.size() < most) {
            int end = Lines.end(block, start, length);
            lines.add(Excerpt.around(text(start, end), 0));
            start = end;
        }
        return List.copyOf(lines);
    }

    private String text(int from, int to) {
        String text = TextView.render(block, from, to, true).text();
        return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    }
}
