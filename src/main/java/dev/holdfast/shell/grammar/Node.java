package dev.holdfast.shell.grammar;

import java.util.List;
import java.util.Set;

/**
 * A node of the syntax tree, as tree-sitter's bash grammar names them.
 *
 * @param type {@link #ERROR} where the text follows no rule of the grammar
 * @param start of its first character in the text that was parsed
 * @param end after its last one
 */
public record Node(String type, int start, int end, List<Node> children) {
    public static final String ERROR = "ERROR";

    public boolean is(String other) {
        return type.equals(other);
    }

    /** The same elsewhere in the text. */
    public Node moved(int by) {
        return new Node(
                type,
                start + by,
                end + by,
                children.stream().map(child -> child.moved(by)).toList());
    }

    public Node child(String wanted) {
        for (Node child : children) {
            if (child.is(wanted)) {
                return child;
            }
        }
        return new Node(wanted, end, end, List.of());
    }

    /** How many of the here-documents whose operators are there it takes for files, as it should. */
    public long hereDocuments(Set<Integer> operators) {
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
     * Whether a function of this name, which it defines, starts itself twice at once: through one pipe, or with
     * {@code &} and once more. Then there are ever more of it; one that goes on as one, or waits for each, is harmless.
     */
    public boolean isBomb(String text, String name) {
        return calls(text, name) > 1 && startsApart(text, name);
    }

    private boolean startsApart(String text, String name) {
        // A loop behind a pipe ends with its input.
        int piped = children.stream()
                .filter(child -> !child.is("while_statement"))
                .mapToInt(child -> child.calls(text, name))
                .sum();
        if (is("pipeline") && piped > 1) {
            return true;
        }
        for (int i = 0; i < children.size(); i++) {
            boolean apart = i + 1 < children.size() && children.get(i + 1).is("&");
            if ((apart && children.get(i).calls(text, name) > 0)
                    || children.get(i).startsApart(text, name)) {
                return true;
            }
        }
        return false;
    }

    private int calls(String text, String name) {
        return is("command_name") && text.substring(start, end).equals(name)
                ? 1
                : children.stream().mapToInt(child -> child.calls(text, name)).sum();
    }
}
