package dev.holdfast.shell.grammar;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** What a {@link Scan} has read of a text, and the same with what the grammar would misread left out. */
final class Scanned {
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder masked = new StringBuilder();
    private final int[] places;
    private final BitSet bare = new BitSet();

    /** @param longest as many characters at most */
    Scanned(int longest) {
        places = new int[longest];
    }

    void add(char c, char mask, int place, boolean isBare) {
        places[text.length()] = place;
        bare.set(text.length(), isBare);
        text.append(c);
        masked.append(mask);
    }

    int length() {
        return text.length();
    }

    StringBuilder masked() {
        return masked;
    }

    BitSet bare() {
        return bare;
    }

    /** @param end the place of its end */
    Source source(int end) {
        int[] all = Arrays.copyOf(places, text.length() + 1);
        all[text.length()] = end;
        return new Source(text.toString(), all);
    }

    /** A node of it, where it stands in the text that was given. */
    Node asGiven(Node node) {
        return new Node(node.type(), places[node.start()], places[node.end() - 1] + 1, List.of());
    }

    /** Whether a word may begin there. */
    boolean isAtWord(int at) {
        return at == 0 || " \t\n;&|()".indexOf(text.charAt(at - 1)) >= 0;
    }

    /** A descriptor in front of {@code <<}, which the grammar would take for a word. */
    void leaveOutDigits() {
        for (int i = text.length() - 1; i >= 0 && Character.isDigit(text.charAt(i)); i--) {
            masked.setCharAt(i, ' ');
        }
    }

    /** The descriptor of the input, the only one that the grammar takes for a word in front of {@code <} too. */
    void leaveOutZero() {
        int last = text.length() - 1;
        if (last >= 0 && text.charAt(last) == '0' && isAtWord(last)) {
            masked.setCharAt(last, ' ');
        }
    }
}
