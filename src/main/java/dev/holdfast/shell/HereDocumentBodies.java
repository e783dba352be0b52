package dev.holdfast.shell;

import dev.holdfast.shell.Script.HereDocument;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Where the here-documents of a text are. The grammar finds their operators, but not all that may follow these on the
 * line, nor then the bodies: it reads the text again with the bodies left out and the operators as those of files.
 */
final class HereDocumentBodies {
    private static final String SUBSTITUTIONS = "command_substitution|simple_expansion|expansion|arithmetic_expansion";

    private HereDocumentBodies() {}

    /**
     * @param operatorEnd after the delimiter on the operator's line
     * @param start of its first line
     * @param lastLine start of the line that ends it
     * @param end after that line
     * @param expands whether the shell expands what is in it
     */
    record Body(int operatorEnd, int start, int lastLine, int end, boolean expands) {
        /** In the outermost text. */
        HereDocument place(int[] places) {
            return new HereDocument(places[start], places[end]);
        }

        /** What the shell expands in it, as nodes of the text. */
        List<Node> substitutions(String text) {
            String body = text.substring(start, lastLine);
            List<Node> found = new ArrayList<>();
            if (expands && (body.indexOf('$') >= 0 || body.indexOf('`') >= 0)) {
                String alone = "cat <<.\n";
                Grammar.tree(alone + body + "\n.\n")
                        .ifPresent(tree -> substitutions(tree, start - alone.length(), found));
            }
            // One that the body does not end takes in what was put around it.
            found.removeIf(node -> node.start() < start || node.end() > lastLine);
            return found;
        }

        private static void substitutions(Node node, int moved, List<Node> found) {
            if (node.type().matches(SUBSTITUTIONS)) {
                found.add(node.moved(moved));
            } else {
                node.children().forEach(child -> substitutions(child, moved, found));
            }
        }
    }

    /** By the place of their operators. */
    static NavigableMap<Integer, Body> of(String text, Node tree) {
        List<Node> operators = new ArrayList<>();
        operators(tree, operators);
        operators.sort(Comparator.comparingInt(Node::start));
        NavigableMap<Integer, Body> bodies = new TreeMap<>();
        int read = 0;
        for (Node operator : operators) {
            // One that stands within the body of another is none.
            int at = operator.start();
            if (bodies.values().stream().noneMatch(body -> at >= body.start() && at < body.end())) {
                Body body = body(text, operator, Math.max(read, lineEnd(text, operator.end())));
                bodies.put(at, body);
                read = body.end();
            }
        }
        return bodies;
    }

    /** Each from {@code <<} to the end of its delimiter. */
    private static void operators(Node node, List<Node> found) {
        Node last = node;
        for (Node child : node.children()) {
            if (child.is("heredoc_start") && last.type().startsWith("<<")) {
                found.add(new Node(last.type(), last.start(), child.end(), List.of(child)));
            }
            operators(child, found);
            last = child;
        }
    }

    private static int lineEnd(String text, int from) {
        int newline = text.indexOf('\n', from);
        return newline < 0 ? text.length() : newline + 1;
    }

    private static Body body(String text, Node operator, int start) {
        Node written = operator.children().getFirst();
        String delimiter = text.substring(written.start(), written.end());
        String plain = delimiter.replaceAll("['\"\\\\]", "");
        int line = start;
        while (line < text.length()) {
            int end = lineEnd(text, line);
            String whole = text.substring(line, end).stripTrailing();
            if ((operator.is("<<-") ? whole.replaceFirst("^\t+", "") : whole).equals(plain)) {
                return new Body(operator.end(), start, line, end, plain.equals(delimiter));
            }
            line = end;
        }
        return new Body(operator.end(), start, text.length(), text.length(), plain.equals(delimiter));
    }

    static String leaveOut(String text, NavigableMap<Integer, Body> bodies) {
        StringBuilder without = new StringBuilder(text);
        bodies.forEach((operator, body) -> {
            fill(without, operator + 1, body.operatorEnd(), '_');
            fill(without, body.start(), body.end(), ' ');
        });
        return without.toString();
    }

    private static void fill(StringBuilder text, int from, int to, char with) {
        for (int i = from; i < to; i++) {
            if (text.charAt(i) != '\n') {
                text.setCharAt(i, with);
            }
        }
    }
}
