package dev.holdfast.shell;

import dev.holdfast.shell.grammar.Keywords;
import dev.holdfast.shell.grammar.Scan;
import dev.holdfast.shell.grammar.Source;
import dev.holdfast.shell.program.Runner;
import dev.holdfast.shell.word.Cells;
import dev.holdfast.shell.word.Word;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** What may be the commands of a text that follows no grammar: words, by its quotes and operators alone. */
final class RoughCommands {
    /** As many are looked at. */
    private static final int MAX = 1000;

    private final List<Parts> commands = new ArrayList<>();
    private Parts command = new Parts(Place.TOP);
    private Cells word = new Cells();
    private int start = -1;
    /** Of a redirect whose target comes next, its signs; empty where none does. */
    private String operator = "";

    private RoughCommands() {}

    static List<Parts> of(Scan scan) {
        RoughCommands rough = new RoughCommands();
        BitSet bare = scan.bare();
        Source source = scan.source();
        String text = source.text();
        for (int i = 0; i < text.length() && rough.commands.size() < MAX; i++) {
            char c = text.charAt(i);
            boolean plain = bare.get(i);
            boolean brace = (c == '{' && text.startsWith(" ", i + 1)) || (c == '}' && rough.start < 0);
            if (plain && (brace || " \t\n;&|()<>`".indexOf(c) >= 0)) {
                boolean ofRedirect = c == '<' || c == '>' || (c == '&' && isBeside(text, i));
                rough.endWord(source.place(i));
                if (ofRedirect) {
                    rough.operator += c;
                } else {
                    rough.endCommand(brace || "\n;&|()`".indexOf(c) >= 0);
                }
            } else if (!scan.syntax().get(i)) {
                rough.start = rough.start < 0 ? source.place(i) : rough.start;
                rough.word.add(c, source.place(i), !plain);
                if (c == '$') {
                    rough.word.unknown();
                }
            }
        }
        rough.endWord(source.place(text.length()));
        rough.endCommand(true);
        return rough.commands;
    }

    /** {@code >&} and {@code &>}. */
    private static boolean isBeside(String text, int at) {
        return text.startsWith(">", at + 1) || (at > 0 && "<>".indexOf(text.charAt(at - 1)) >= 0);
    }

    private void endWord(int end) {
        if (start < 0) {
            return;
        }
        List<Word> read = word.words(start, end, "");
        word = new Cells();
        start = -1;
        if (!operator.isEmpty()) {
            read.stream().limit(1).forEach(target -> command.redirects.add(new Redirect(operator, target)));
            operator = "";
        } else {
            command.words.addAll(read);
        }
        Word first = command.words.size() == 1 ? command.words.getFirst() : null;
        if (first != null && (Keywords.isOne(first.text()) || Runner.isAssignment(first))) {
            command.words.clear();
        }
    }

    private void endCommand(boolean ends) {
        if (!ends) {
            return;
        }
        operator = "";
        if (!command.words.isEmpty() || !command.redirects.isEmpty()) {
            if (command.words.isEmpty()) {
                command.words.add(Word.of(":"));
            }
            commands.add(command);
            command = new Parts(Place.TOP);
        }
    }
}
