package dev.holdfast.keeper.screen;

/**
 * Which characters are meant. Only ASCII and the one for drawing lines differ here.
 *
 * @param designated the last characters of what chose G0 to G3
 * @param shown which of them is in use
 */
record Charsets(String designated, int shown) {
    static final Charsets USUAL = new Charsets("BBBB", 0);

    private static final String LINES = " ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";

    Charsets designate(int set, char charset) {
        return new Charsets(designated.substring(0, set) + charset + designated.substring(set + 1), shown);
    }

    Charsets show(int set) {
        return new Charsets(designated, set);
    }

    int meant(int character) {
        boolean line = designated.charAt(shown) == '0' && character >= '_' && character <= '~';
        return line ? LINES.charAt(character - '_') : character;
    }

    String escapes() {
        StringBuilder text = new StringBuilder();
        for (int set = 0; set < 4; set++) {
            if (designated.charAt(set) != 'B') {
                text.append('\033').append("()*+".charAt(set)).append(designated.charAt(set));
            }
        }
        return text.append(new String[] {"", "\016", "\033n", "\033o"}[shown]).toString();
    }
}
