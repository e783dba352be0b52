package dev.holdfast.shell;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** What may be the commands of a text that follows no grammar: words, by its quotes and operators alone. */
final class RoughCommands {
    /** As many are looked at. */
    private static final int MAX = 1000;

    private final List<List<Word>> commands = new ArrayList<>();
    private List<Word> words = new ArrayList<>();
    private Cells word = new Cells();
    private int start = -1;

    private RoughCommands() {}

    static List<List<Word>> of(Scan scan) {
        RoughCommands rough = new RoughCommands();
        BitSet bare = scan.bare();
        String text = scan.text();
        int[] places = scan.places();
        for (int i = 0; i < text.length() && rough.commands.size() < MAX; i++) {
            char c = text.charAt(i);
            boolean plain = bare.get(i);
            boolean brace = (c == '{' && text.startsWith(" ", i + 1)) || (c == '}' && rough.start < 0);
            if (plain && (brace || " \t\n;&|()<>`".indexOf(c) >= 0)) {
                rough.endWord(places[i]);
                rough.endCommand(brace || "\n;&|()`".indexOf(c) >= 0);
            } else if (!scan.syntax().get(i)) {
                rough.start = rough.start < 0 ? places[i] : rough.start;
                rough.word.add(c, places[i], !plain);
                rough.word.known &= c != '$';
            }
        }
        rough.endWord(places[text.length()]);
        rough.endCommand(true);
        return rough.commands;
    }

    private void endWord(int end) {
        if (start >= 0) {
            words.addAll(word.words(start, end, ""));
        }
        word = new Cells();
        start = -1;
        if (words.size() == 1 && Keywords.isOne(words.getFirst().text())) {
            words.clear();
        }
    }

    private void endCommand(boolean ends) {
        if (ends && !words.isEmpty()) {
            commands.add(List.copyOf(words));
            words = new ArrayList<>();
        }
    }
}
