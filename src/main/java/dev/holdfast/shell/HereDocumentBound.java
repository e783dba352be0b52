package dev.holdfast.shell;

/**
 * What the grammar can remember of the here-documents that are open at once is 1024 bytes, less than which it writes
 * down. It does not count right: what is just above ends the process.
 */
final class HereDocumentBound {
    private static final int MAX_BYTES = 1000;
    /** Of each, besides its delimiter. */
    private static final int BYTES_EACH = 8;

    private HereDocumentBound() {}

    /** Whether it would be, were all of the text open at once. Delimiters are read as the grammar's scanner does. */
    static boolean isBroken(String text) {
        int size = 0;
        int at = text.indexOf("<<");
        while (at >= 0 && size <= MAX_BYTES) {
            int i = text.startsWith("-", at + 2) ? at + 3 : at + 2;
            while (i < text.length() && endsDelimiter(text.charAt(i), (char) 0)) {
                i++;
            }
            char quote = i < text.length() && (text.charAt(i) == '\'' || text.charAt(i) == '"') ? text.charAt(i) : 0;
            int from = i;
            while (i < text.length() && (i == from || !endsDelimiter(text.charAt(i), quote))) {
                i += text.charAt(i) == '\\' ? 2 : 1;
            }
            size += BYTES_EACH + i - from;
            at = text.indexOf("<<", at + 1);
        }
        return size > MAX_BYTES;
    }

    private static boolean endsDelimiter(char c, char quote) {
        return quote == 0 ? c == ' ' || c == '\t' || c == '\n' : c == quote || c == '\n';
    }
}
