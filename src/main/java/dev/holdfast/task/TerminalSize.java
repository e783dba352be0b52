package dev.holdfast.task;

/** A terminal's size in characters; each 1 to 1000. */
public record TerminalSize(int rows, int cols) {
    public static final TerminalSize DEFAULT = new TerminalSize(40, 120);
}
