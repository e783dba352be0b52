package dev.holdfast.keeper.screen;

/**
 * Where and how the next character is drawn, as it is saved and restored.
 *
 * @param col as many as there are columns: the next character goes to the next row
 * @param origin whether places count from the scroll region
 */
record Cursor(int row, int col, Style style, Charsets charsets, boolean origin) {
    static final Cursor HOME = new Cursor(0, 0, Style.PLAIN, Charsets.USUAL, false);

    Cursor at(int newRow, int newCol) {
        return new Cursor(newRow, newCol, style, charsets, origin);
    }
}
