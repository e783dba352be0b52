package dev.holdfast.shell;

import java.util.List;
import java.util.Set;

/**
 * A node of the syntax tree, as tree-sitter's bash grammar names them.
 *
 * @param type {@link #ERROR} where the text follows no rule of the grammar
 * @param start of its first character in the text that was parsed
 * @param end after its last one
 */
record Node(String type, int start, int end, List<Node> children) {
    static final String ERROR = "ERROR";

    boolean is(String other) {
        return type.equals(other);
    }

    /** The same elsewhere in the text. */
    Node moved(int by) {
        return new Node(
                type,
                start + by,
                end + by,
                children.stream().map(child -> child.moved(by)).toList());
    }

    Node child(String wanted) {
        for (Node child : children) {
            if (child.is(wanted)) {
                return child;
            }
        }
        return new Node(wanted, end, end, List.of());
    }

    /** How many of the here-documents whose operators are there it takes for files, as it should. */
    long hereDocuments(Set<Integer> operators) {
        if (operators.isEmpty()) {
            return 0;
        }
        boolean isOne = is("file_redirect")
                && children.stream().anyMatch(child -> child.is("<") && operators.contains(child.start()));
        return (isOne ? 1 : 0)
                + children.stream()
                        .mapToLong(child -> child.hereDocuments(operators))
                        .sum();
    }

    /**
     * Whether a function of this name is called in it through a pipe or with {@code &}: more of it each time, and
     * nobody waits. A loop behind a pipe ends with its input.
     */
    static boolean isUnawaited(String text, Node node, String name, boolean apart) {
        if (node.is("command_name")
                && apart
                && text.substring(node.start(), node.end()).equals(name)) {
            return true;
        }
        boolean alone = (apart && !node.is("while_statement"))
                || node.is("pipeline")
                || node.children().stream().anyMatch(child -> child.is("&"));
        return node.children().stream().anyMatch(child -> isUnawaited(text, child, name, alone));
    }
}
