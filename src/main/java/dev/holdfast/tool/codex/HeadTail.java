package dev.holdfast.tool.codex;

/**
 * Head and tail of a text, with the tokens between them counted, as that agent cuts it; holds no more than these. Used
 * by one thread.
 */
final class HeadTail {
    private final int half;
    private final StringBuilder head = new StringBuilder();
    private final StringBuilder tail = new StringBuilder();
    private long chars;
    private long newlines;
    private boolean inLine;

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

    /** Of all that was added. */
    long chars() {
        return chars;
    }

    String text() {
        long left = chars - head.length() - tail.length();
        if (left == 0) {
            return head.toString() + tail;
        }
        if (Character.isHighSurrogate(head.charAt(head.length() - 1))) {
            head.setLength(head.length() - 1);
        }
        if (Character.isLowSurrogate(tail.charAt(0))) {
            tail.deleteCharAt(0);
        }
        return "Warning: truncated output (original token count: " + Chunk.tokens(chars) + ")\nTotal output lines: "
                + (newlines + (inLine ? 1 : 0)) + "\n\n" + head + "…" + Chunk.tokens(left) + " tokens truncated…"
                + tail;
    }
}
