package dev.holdfast.shell;

import dev.holdfast.shell.SimpleCommand.Assignment;
import dev.holdfast.shell.grammar.Node;
import dev.holdfast.shell.grammar.Source;
import dev.holdfast.shell.word.Variables;
import dev.holdfast.shell.word.Word;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What is no word of a command, and is read by who looks for secrets: comments, arrays, what loops and tests have. */
final class Asides {
    /** The types of the nodes that are words, where they are in no command. */
    static final Set<String> WORDS = Set.of(
            "expansion arithmetic_expansion string raw_string ansi_c_string regex word concatenation extglob_pattern"
                    .split(" ", -1));

    private final List<List<Word>> words = new ArrayList<>();
    private final List<Word> comments = new ArrayList<>();

    /** Those that stand side by side. */
    List<List<Word>> words() {
        return List.copyOf(words);
    }

    List<Word> comments() {
        return List.copyOf(comments);
    }

    void add(List<Word> run) {
        if (!run.isEmpty()) {
            words.add(run);
        }
    }

    void comment(Node node, Source source) {
        comments.add(source.word(node.start(), node.end()));
    }

    /**
     * @param assignment of anything
     * @return as if each element of its array were assigned by itself; nothing where it has none
     */
    List<Assignment> array(Node assignment, Source source, Variables variables) {
        Node array = assignment.child("array");
        Node name = assignment.child("variable_name");
        List<Word> elements = new ArrayList<>();
        for (Node child : array.children()) {
            if (child.is("comment")) {
                comment(child, source);
            } else if (!child.type().matches("[()]")) {
                // What is substituted in it is listed with the whole.
                elements.addAll(new WordReader(source, variables, (_, _) -> {}, () -> false).read(child));
            }
        }
        add(elements);
        return elements.stream()
                .flatMap(element -> element(source.written(name), element))
                .toList();
    }

    /** Of {@code [key]=value} the key is its name too. */
    private static Stream<Assignment> element(String array, Word element) {
        int end = element.text().startsWith("[") ? element.text().indexOf("]=") : -1;
        if (end < 0) {
            return Stream.of(new Assignment(array, element));
        }
        Word value = element.from(end + 2);
        return Stream.of(
                new Assignment(array, value), new Assignment(element.text().substring(1, end), value));
    }
}
