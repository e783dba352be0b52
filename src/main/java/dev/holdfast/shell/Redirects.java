package dev.holdfast.shell;

import dev.holdfast.shell.grammar.HereDocumentOperator.Body;
import dev.holdfast.shell.grammar.Node;
import dev.holdfast.shell.grammar.Scan;
import dev.holdfast.shell.grammar.Source;
import dev.holdfast.shell.grammar.Substitutions;
import dev.holdfast.shell.program.Runner;
import dev.holdfast.shell.word.Word;
import java.util.ArrayList;
import java.util.List;

/** Reads the redirects of one text: files, here-documents and here-strings. */
record Redirects(Reader reader, Scan scan, TextReader text) {
    void read(Node node, Parts parts) {
        if (node.is("herestring_redirect")) {
            List<Word> words = node.children().stream()
                    .filter(child -> !child.is("<<<"))
                    .flatMap(child -> text.words(child, parts).stream())
                    .toList();
            parts.input = words.isEmpty() ? Word.of("") : Runner.joined(words);
        } else if (node.is("file_redirect")) {
            fileRedirect(node, parts);
        }
    }

    private void fileRedirect(Node node, Parts parts) {
        String operator = "";
        Body body = null;
        List<Word> targets = new ArrayList<>();
        for (Node child : node.children()) {
            if (child.children().isEmpty() && child.type().matches("[<>&|0-9-]+")) {
                operator = child.type();
                body = scan.bodies().get(child.start());
            } else if (child.is(Node.ERROR)) {
                reader.notUnderstood();
            } else if (!child.is("file_descriptor")) {
                targets.addAll(text.words(child, parts));
            }
        }
        if (body != null) {
            parts.input = body(body, parts);
        } else if (!targets.isEmpty()) {
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
