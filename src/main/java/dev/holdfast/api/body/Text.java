package dev.holdfast.api.body;

import java.util.Optional;

/** What a text must not hold: NUL, which ends a string for the kernel, and half a character. */
final class Text {
    private static final int SHOWN = 64;

    private Text() {}

    /** What is wrong with it, to follow the name of its field; nothing when it is fine. */
    static Optional<String> flaw(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                return Optional.of("must not hold a NUL character");
            }
            if (Character.isSurrogate(c)) {
                boolean pair = Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!pair) {
                    return Optional.of("must not hold half a surrogate pair");
                }
                i++;
            }
        }
        return Optional.empty();
    }

    /** Its UTF-8 length in bytes; only for text without {@link #flaw}. */
    static long utf8Length(String text) {
        long bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return bytes;
    }

    /** At most 64 characters of a name that a caller made up, for a message. */
    static String shortened(String name) {
        return name.length() <= SHOWN ? name : name.substring(0, SHOWN) + "…";
    }
}
