package dev.holdfast.shell.grammar;

import java.util.Arrays;
import java.util.List;

/** The substitutions of commands in a part of a text, whatever the grammar takes them for. */
public final class Substitutions {
    private Substitutions() {}

    /** The outermost ones, as nodes of the text without children. */
    public static List<Node> in(String text, int from, int to, boolean quoted) {
        for (int i = from; i < to; i++) {
            if (text.charAt(i) == '`' || text.charAt(i) == '(') {
                return Scan.substitutions(text.substring(from, to), quoted).stream()
                        .map(node -> node.moved(from))
                        .toList();
            }
        }
        return List.of();
    }

    /**
     * The text in a substitution of commands: {@code $(…)}, {@code <(…)}, or backticks, in which some backslashes go.
     *
     * @param quoted whether it stands in double quotes
     */
    public static Source inside(Source source, Node node, boolean quoted) {
        String text = source.text();
        boolean backticks = text.charAt(node.start()) == '`';
        String escaped = !backticks ? "" : quoted ? "$`\\\"" : "$`\\";
        int from = node.start() + (backticks ? 1 : 2);
        int to = Math.max(from, node.end() - 1);
        StringBuilder inner = new StringBuilder();
        int[] inside = new int[to - from + 1];
        for (int i = from; i < to; i++) {
            boolean escapes = text.charAt(i) == '\\' && i + 1 < to && escaped.indexOf(text.charAt(i + 1)) >= 0;
            i += escapes ? 1 : 0;
            inside[inner.length()] = source.place(i);
            inner.append(text.charAt(i));
        }
        inside[inner.length()] = source.place(to);
        return new Source(inner.toString(), Arrays.copyOf(inside, inner.length() + 1));
    }
}
