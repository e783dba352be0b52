package dev.holdfast.tool.codex;

import dev.holdfast.render.TaskTexts;
import java.util.ArrayList;
import java.util.List;

/**
 * Head and tail of a text, with the tokens between them counted, as that agent cuts it; holds no more than these. Used
 * by one thread.
 */
final class HeadTail {
    private final int half;
    private final StringBuilder head = new StringBuilder();
    private final StringBuilder tail = new StringBuilder();
    private final List<Gap> gaps = new ArrayList<>();
    private long chars;
    private long newlines;
    private boolean inLine;

    /**
     * What is not kept any more.
     *
     * @param from where the line that names it begins
     * @param to where that ends
     */
    private record Gap(long from, long to, long bytes) {
        /** How much more was there than the line that stands for it. */
        long more() {
            return bytes - (to - from);
        }
    }

    /** @param budget in characters */
    HeadTail(int budget) {
        this.half = Math.max(1, budget / 2);
    }

    void add(String text) {
        if (text.isEmpty()) {
            return;
        }
        chars += text.length();
        newlines += text.chars().filter(c -> c == '\n').count();
        inLine = !text.endsWith("\n");
        int room = Math.min(text.length(), half - head.length());
        head.append(text, 0, room);
        tail.append(text, room, text.length());
        if (tail.length() > half) {
            tail.delete(0, tail.length() - half);
        }
    }

    /** What follows is none of the same line. */
    void endLine() {
        if (inLine) {
            add("\n");
        }
    }

    /** So much of the output is not kept any more: named there, and counted, a byte as a character. */
    void leaveOut(long bytes) {
        if (bytes > 0) {
            endLine();
            long from = chars;
            add(TaskTexts.leftOut(bytes));
            gaps.add(new Gap(from, chars, bytes));
        }
    }

    /** Of all that was added or left out. */
    long chars() {
        return chars + gaps.stream().mapToLong(Gap::more).sum();
    }

    String text() {
        long behind = chars - tail.length();
        long left = behind - head.length();
        if (left == 0) {
            return head.toString() + tail;
        }
        long unseen = gaps.stream()
                .filter(gap -> gap.to() > head.length() && gap.from() < behind)
                .mapToLong(Gap::more)
                .sum();
        if (Character.isHighSurrogate(head.charAt(head.length() - 1))) {
            head.setLength(head.length() - 1);
        }
        if (Character.isLowSurrogate(tail.charAt(0))) {
            tail.deleteCharAt(0);
        }
        // Nobody knows how many lines were in a gap.
        String lines = gaps.isEmpty() ? "Total output lines: " + (newlines + (inLine ? 1 : 0)) + "\n" : "";
        return "Warning: truncated output (original token count: " + Chunk.tokens(chars()) + ")\n" + lines + "\n" + head
                + "…" + Chunk.tokens(left + unseen) + " tokens truncated…" + tail;
    }
}
