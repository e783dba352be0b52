package dev.holdfast.output;

import java.util.Set;

/**
 * Which escapes make a terminal do more than draw: answer, as xterm's list of control sequences has it, resize its window,
 * print, notify, or set the clipboard.
 */
final class Reactions {
    /** Of OSC: notifications (9, 99, 777), clipboard (52), and files and more of iTerm2's (1337). */
    private static final Set<String> ACTS = Set.of("9", "99", "777", "52", "1337");

    private Reactions() {}

    static boolean isCausedBy(ControlSequence sequence) {
        return switch (sequence.kind()) {
            case '[' -> isAsking(sequence);
            case ']' -> isCommand(sequence.text());
            // DECRQSS and XTGETTCAP ask; what is passed through another terminal is not drawn by this one.
            case 'P' ->
                sequence.startsWith('$')
                        || sequence.startsWith('+')
                        || sequence.text().startsWith("tmux;");
            // Pictures of kitty's are acknowledged.
            case '_' -> true;
            // DECID
            case 'Z' -> true;
            default -> false;
        };
    }

    private static boolean isAsking(ControlSequence sequence) {
        return switch (sequence.last()) {
            // Device attributes and status; xterm's modifiers are set by the same letter.
            case 'c' -> true;
            case 'n' -> !sequence.startsWith('>');
            // The window, but not the stack of its titles.
            case 't' ->
                sequence.isPlain()
                        && !Set.of(22, 23).contains(sequence.numbers().getFirst());
            // Printing.
            case 'i' -> true;
            // Terminal parameters and a checksum.
            case 'x' -> sequence.isPlain();
            case 'y' -> sequence.text().endsWith("*");
            // A mode, the terminal's version, its keyboard, its graphics.
            case 'p' -> sequence.text().endsWith("$");
            case 'q' -> sequence.startsWith('>');
            case 'u', 'S' -> sequence.startsWith('?');
            default -> false;
        };
    }

    private static boolean isCommand(String text) {
        int separator = text.indexOf(';');
        String number = separator < 0 ? text : text.substring(0, separator);
        return ACTS.contains(number) || text.endsWith(";?") || text.contains(";?;");
    }
}
