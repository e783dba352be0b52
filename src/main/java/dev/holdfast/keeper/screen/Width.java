package dev.holdfast.keeper.screen;

/** How many columns a character takes, on a screen and in a line of text. */
public final class Width {
    /** First and last of what East Asian scripts draw twice as wide, but emoji. */
    private static final int[] WIDE = {
        0x1100, 0x115F, 0x2E80, 0x303E, 0x3041, 0xA4CF, 0xA960, 0xA97F, 0xAC00, 0xD7A3, 0xF900, 0xFAFF, 0xFE30, 0xFE6F,
        0xFF01, 0xFF60, 0xFFE0, 0xFFE6, 0x17000, 0x18CFF, 0x1B000, 0x1B2FF, 0x20000, 0x3FFFD
    };

    private Width() {}

    /** @return 0 for what is drawn onto the one before */
    public static int of(int character) {
        if (character < 0x300) {
            return 1;
        }
        int kind = Character.getType(character);
        if (kind == Character.NON_SPACING_MARK || kind == Character.ENCLOSING_MARK || kind == Character.FORMAT) {
            return 0;
        }
        for (int i = 0; i < WIDE.length && character >= WIDE[i]; i += 2) {
            if (character <= WIDE[i + 1]) {
                return 2;
            }
        }
        return Character.isEmojiPresentation(character) ? 2 : 1;
    }
}
