package dev.holdfast.message.body;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Keys of a keyboard by name, as the bytes xterm sends for them in its normal mode. */
public final class Keys {
    /** What can be written, for a hint. */
    public static final String NAMES =
            "enter, tab, shift-tab, escape, space, backspace, delete, insert, up, down, left,"
                    + " right, home, end, page-up, page-down, f1 to f12, ctrl-a to ctrl-z, ctrl-@, ctrl-[, ctrl-\\, ctrl-],"
                    + " ctrl-^, ctrl-_, any character, alt- before that or another key";

    private static final Map<String, String> NAMED = Map.ofEntries(
            Map.entry("enter", "\r"),
            Map.entry("return", "\r"),
            Map.entry("tab", "\t"),
            Map.entry("shift-tab", "\u001b[Z"),
            Map.entry("escape", "\u001b"),
            Map.entry("esc", "\u001b"),
            Map.entry("space", " "),
            Map.entry("backspace", "\u007f"),
            Map.entry("delete", "\u001b[3~"),
            Map.entry("insert", "\u001b[2~"),
            Map.entry("up", "\u001b[A"),
            Map.entry("down", "\u001b[B"),
            Map.entry("right", "\u001b[C"),
            Map.entry("left", "\u001b[D"),
            Map.entry("home", "\u001b[H"),
            Map.entry("end", "\u001b[F"),
            Map.entry("page-up", "\u001b[5~"),
            Map.entry("page-down", "\u001b[6~"),
            Map.entry("f1", "\u001bOP"),
            Map.entry("f2", "\u001bOQ"),
            Map.entry("f3", "\u001bOR"),
            Map.entry("f4", "\u001bOS"),
            Map.entry("f5", "\u001b[15~"),
            Map.entry("f6", "\u001b[17~"),
            Map.entry("f7", "\u001b[18~"),
            Map.entry("f8", "\u001b[19~"),
            Map.entry("f9", "\u001b[20~"),
            Map.entry("f10", "\u001b[21~"),
            Map.entry("f11", "\u001b[23~"),
            Map.entry("f12", "\u001b[24~"));
    private static final String ALT = "alt-";
    private static final String CTRL = "ctrl-";

    private Keys() {}

    /**
     * What the key sends, or nothing when there is no such key. Names are not case-sensitive, the character after alt-
     * is.
     */
    public static Optional<byte[]> bytes(String key) {
        return sent(key).map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    private static Optional<String> sent(String key) {
        String name = key.toLowerCase(Locale.ROOT);
        String named = NAMED.get(name);
        if (named != null) {
            return Optional.of(named);
        }
        if (oneCharacter(key)) {
            return Optional.of(key);
        }
        if (name.startsWith(CTRL)) {
            return control(name.substring(CTRL.length()));
        }
        if (name.startsWith(ALT) && !name.startsWith(ALT + ALT)) {
            return sent(key.substring(ALT.length())).map(inner -> "\u001b" + inner);
        }
        return Optional.empty();
    }

    private static boolean oneCharacter(String text) {
        return text.codePointCount(0, text.length()) == 1 && text.codePointAt(0) >= ' ';
    }

    private static Optional<String> control(String of) {
        if (of.equals("space")) {
            return Optional.of("\0");
        }
        char c = of.length() == 1 ? Character.toUpperCase(of.charAt(0)) : 0;
        return c >= '@' && c <= '_' ? Optional.of(String.valueOf((char) (c & 0x1f))) : Optional.empty();
    }
}
