package dev.holdfast.shell;

import dev.holdfast.shell.grammar.HereDocumentOperator.Body;
import dev.holdfast.shell.grammar.Node;
import dev.holdfast.shell.grammar.Scan;
import dev.holdfast.shell.grammar.Source;
import dev.holdfast.shell.grammar.Substitutions;
import dev.holdfast.shell.word.Cells;
import dev.holdfast.shell.word.Word;
import java.util.ArrayList;
import java.util.List;

/** Reads the redirects of one text: files, here-documents and here-strings. */
record Redirects(Reader reader, Scan scan, TextReader text) {
    void read(Node node, Parts parts) {
        if (!node.is("file_redirect")) {
            return;
        }
        String operator = "";
        Body body = null;
        boolean hereString = false;
        boolean isInput = true;
        List<Word> targets = new ArrayList<>();
        for (Node child : node.children()) {
            if (child.children().isEmpty() && child.type().matches("[<>&|0-9-]+")) {
                operator = child.type();
                body = scan.bodies().get(child.start());
                hereString = scan.hereStrings().get(child.start());
            } else if (child.is(Node.ERROR)) {
                reader.notUnderstood();
            } else if (child.is("file_descriptor")) {
                isInput = scan.source().written(child).equals("0");
            } else {
                List<Word> read = text.words(child, parts);
                boolean splits = !hereString || !targets.isEmpty() || read.isEmpty();
                targets.addAll(splits ? read : List.of(Cells.joined(read)));
            }
        }
        if (body != null) {
            parts.input = body(body, parts);
        } else if (hereString && isInput) {
            parts.input = targets.isEmpty() ? Word.of("") : targets.getFirst();
        } else if (!hereString && !targets.isEmpty()) {
            parts.redirects.add(new Redirect(operator, targets.getFirst()));
        }
        parts.words.addAll(targets.subList(Math.min(1, targets.size()), targets.size()));
    }

    /** The shell expands it as it does what stands in double quotes. */
    private Word body(Body body, Parts parts) {
        Word word = body.text();
        if (!body.expands() || (word.text().indexOf('$') < 0 && word.text().indexOf('`') < 0)) {
            return word;
        }
        Source source = Source.of(word);
        int before = reader.count();
        for (Node found : Substitutions.in(word.text(), 0, word.text().length(), true)) {
            text.substitution(source, found, true, parts.place.alone());
        }
        parts.from.addAll(reader.since(before));
        return new Word(word.text(), false, false, word.places(), word.start(), word.end());
    }
}
