package dev.holdfast.shell;

import dev.holdfast.shell.grammar.Node;
import dev.holdfast.shell.grammar.Source;
import dev.holdfast.shell.grammar.Substitutions;
import dev.holdfast.shell.word.Cells;
import dev.holdfast.shell.word.Escape;
import dev.holdfast.shell.word.Variables;
import dev.holdfast.shell.word.Word;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/** Reads the nodes of one word, as bash(1) expands them; what only running them tells stays as it is written. */
final class WordReader {
    private final Source source;
    private final String text;
    private final Variables variables;
    private final BiConsumer<Node, Boolean> substitution;
    private final BooleanSupplier byDefault;
    private final Cells cells = new Cells();
    private int expected;
    private int told;

    /**
     * @param substitution is told each command or process substitution, and whether it is in double quotes
     * @param byDefault asked for each {@code ${X:-word}} of which nobody knows more: whether it is the word
     */
    WordReader(Source source, Variables variables, BiConsumer<Node, Boolean> substitution, BooleanSupplier byDefault) {
        this.source = source;
        this.text = source.text();
        this.variables = variables;
        this.substitution = substitution;
        this.byDefault = byDefault;
    }

    List<Word> read(Node node) {
        expected = Substitutions.in(text, node.start(), node.end(), false).size();
        add(node, false);
        String home =
                variables.get("HOME").map(values -> values.getFirst().text()).orElse("");
        return cells.words(source.place(node.start()), source.place(node.end() - 1) + 1, home);
    }

    /** Whether each substitution that it has was told, or stands in what cannot be run. */
    boolean isAllRead() {
        return told >= expected;
    }

    private void add(Node node, boolean quoted) {
        switch (node.type()) {
            case "raw_string" -> rawString(node, quoted);
            case "translated_string" -> string(node.child("string"));
            case "string" -> string(node);
            case "string_content" -> escaped(node, true);
            case "ansi_c_string" -> ansiC(node.start() + 2, node.end() - 1);
            case "simple_expansion" -> variable(node, node.start() + 1, node.end(), quoted);
            case "expansion" -> expansion(node, quoted);
            case "command_substitution", "process_substitution" -> {
                told++;
                substitution.accept(node, quoted);
                unknown(node);
            }
            // In it single quotes are none, as in double ones.
            case "arithmetic_expansion" -> substitutionsIn(node, node.start() + 2, true);
            default -> other(node, quoted);
        }
    }

    private void other(Node node, boolean quoted) {
        if (node.children().isEmpty() && !in(node, quoted).isEmpty()) {
            // The grammar takes some for plain words: ${X:-`id`}.
            substitutionsIn(node, quoted);
        } else if (node.children().isEmpty() || node.is("brace_expression")) {
            escaped(node, quoted);
        } else {
            node.children().forEach(child -> add(child, quoted));
        }
    }

    /** What stands between its parts, and is no part of the tree, is of it too. */
    private void string(Node node) {
        cells.quoted();
        int at = node.start() + 1;
        for (Node child : node.children()) {
            if (!child.is("\"")) {
                literal(at, child.start());
                add(child, true);
                at = child.end();
            }
        }
        literal(at, node.end() - 1);
    }

    private void literal(int from, int to) {
        cells.quoted();
        for (int i = from; i < to; i++) {
            cells.add(text.charAt(i), source.place(i), true);
        }
    }

    /** A backslash quotes what follows; within quotes only what would mean something there. */
    private void escaped(Node node, boolean quoted) {
        for (int i = node.start(); i < node.end(); i++) {
            char c = text.charAt(i);
            boolean escapes =
                    c == '\\' && i + 1 < node.end() && (!quoted || "$`\"\\\n".indexOf(text.charAt(i + 1)) >= 0);
            if (!escapes) {
                cells.add(c, source.place(i), quoted);
            } else if (text.charAt(++i) != '\n') {
                cells.add(text.charAt(i), source.place(i), true);
            }
        }
    }

    /** Inside {@code $'…'}. */
    private void ansiC(int from, int to) {
        cells.quoted();
        int i = from;
        while (i < to) {
            if (text.charAt(i) != '\\' || i + 1 >= to) {
                cells.add(text.charAt(i), source.place(i), true);
                i++;
            } else {
                Escape escape = Escape.at(text, i, to);
                for (int j = 0; j < escape.text().length(); j++) {
                    cells.add(escape.text().charAt(j), source.place(i), true);
                }
                i = escape.end();
            }
        }
    }

    private void expansion(Node node, boolean quoted) {
        List<Node> parts = node.children();
        Node name = parts.size() > 2 ? parts.get(1) : node;
        String operator = parts.size() > 3 ? parts.get(2).type() : "";
        boolean read = name.type().endsWith("variable_name") && operator.matches("(:?[-=?])?");
        if (read && (operator.isEmpty() || hasValue(name, operator))) {
            told += in(node, quoted).size();
            variable(node, name.start(), name.end(), quoted);
        } else if (read && !operator.endsWith("?") && in(node, quoted).isEmpty() && byDefault.getAsBoolean()) {
            parts.subList(3, parts.size() - 1).forEach(child -> add(child, quoted));
        } else {
            // A subscript is expanded once more, so that single quotes hold nothing back.
            substitutionsIn(node, quoted || parts.stream().anyMatch(part -> part.is("subscript")));
        }
    }

    /** With a colon an empty value is none. */
    private boolean hasValue(Node name, String operator) {
        return variables
                .get(source.written(name))
                .filter(values -> !operator.startsWith(":")
                        || values.stream().anyMatch(value -> !value.text().isEmpty()))
                .isPresent();
    }

    private void variable(Node node, int from, int to, boolean quoted) {
        String name = text.substring(from, to);
        Optional<List<Word>> values = variables.get(name);
        if (values.isEmpty() && variables.guess(name).isPresent() && byDefault.getAsBoolean()) {
            values = variables.guess(name);
        }
        if (values.isEmpty() || (quoted && values.get().size() != 1 && !name.equals("@"))) {
            unknown(node);
            return;
        }
        int place = source.place(node.start());
        for (int i = 0; i < values.get().size(); i++) {
            if (i > 0) {
                cells.add(Cells.SPLIT, place, false);
            }
            value(values.get().get(i), place, quoted);
        }
    }

    /** What a pattern stands for has been looked for where it was assigned, so quotes do not make it plain text. */
    private void value(Word value, int place, boolean quoted) {
        for (int i = 0; i < value.text().length(); i++) {
            char c = value.text().charAt(i);
            boolean splits = !quoted && (c == ' ' || c == '\t' || c == '\n');
            boolean matches = value.pattern() && "*?[".indexOf(c) >= 0;
            cells.add(splits ? Cells.SPLIT : c, place, quoted && !matches);
        }
    }

    private void unknown(Node node) {
        cells.unknown();
        for (int i = node.start(); i < node.end(); i++) {
            cells.add(text.charAt(i), source.place(i), true);
        }
    }

    /** Within double quotes single ones are none. */
    private void rawString(Node node, boolean quoted) {
        if (quoted && !in(node, true).isEmpty()) {
            substitutionsIn(node, true);
        } else {
            literal(node.start() + 1, node.end() - 1);
        }
    }

    private List<Node> in(Node node, boolean quoted) {
        return Substitutions.in(text, node.start(), node.end(), quoted);
    }

    private void substitutionsIn(Node node, boolean quoted) {
        substitutionsIn(node, node.start(), quoted);
    }

    /** @param from what is in front of it has none */
    private void substitutionsIn(Node node, int from, boolean quoted) {
        for (Node found : Substitutions.in(text, from, node.end(), quoted)) {
            told++;
            substitution.accept(found, quoted);
        }
        unknown(node);
    }
}
