package dev.holdfast.policy.actor;

import java.io.StringReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.nodes.CollectionNode;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * The text of a tokens file with one entry more or less; all else stays as a person wrote it. The text must be one that
 * {@link TokenFile#parse} takes, and so must what comes out of it, for YAML can be written in ways that are not known
 * here.
 */
final class TokenText {
    private static final String NEW = """
            # Who may call besides the operator, by the SHA-256 of the token; read again when it changes.
            tokens:
            """;

    private final String text;

    TokenText(String text) {
        this.text = text;
    }

    /** A file with one entry. */
    static String of(Actor actor, String sha256) {
        return NEW + "  - " + entry(actor, sha256) + "\n";
    }

    String with(Actor actor, String sha256) {
        String entry = entry(actor, sha256);
        SequenceNode list = list();
        List<Node> items = list.getValue();
        int end = end(list);
        if (items.isEmpty() && root().getFlowStyle() == DumperOptions.FlowStyle.BLOCK) {
            int start = start(list);
            boolean alone = text.substring(lineStart(start), start).isBlank();
            return text.substring(0, start) + (alone ? "- " : "\n  - ") + entry + text.substring(end);
        }
        if (list.getFlowStyle() == DumperOptions.FlowStyle.FLOW) {
            return text.substring(0, end - 1) + (items.isEmpty() ? "" : ", ") + entry + text.substring(end - 1);
        }
        Node last = items.getLast();
        int dash = text.lastIndexOf('-', start(last) - 1);
        int next = lineEnd(end(last));
        String before = text.substring(0, next);
        return before
                + (before.endsWith("\n") ? "" : "\n")
                + text.substring(lineStart(dash), dash)
                + "- "
                + entry
                + "\n"
                + text.substring(next);
    }

    /** @param index of the entry */
    String without(int index) {
        SequenceNode list = list();
        Node item = list.getValue().get(index);
        boolean flow = list.getFlowStyle() == DumperOptions.FlowStyle.FLOW;
        if (flow) {
            String before = text.substring(0, start(item));
            String after = text.substring(end(item));
            String rest = after.replaceFirst("^\\s*,[ \\t]*", "");
            return rest.length() < after.length() ? before + rest : before.replaceFirst(",\\s*$", "") + after;
        }
        int from = lineStart(text.lastIndexOf('-', start(item) - 1));
        String left = list.getValue().size() == 1 ? "  []\n" : "";
        return text.substring(0, from) + left + text.substring(lineEnd(end(item)));
    }

    /** On one line, with quotes where YAML needs them. */
    private static String entry(Actor actor, String sha256) {
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.put("name", actor.name());
        keys.put("role", actor.role().toString());
        if (!actor.labels().isEmpty()) {
            keys.put("labels", actor.labels());
        }
        if (actor.mode() != Mode.OPEN) {
            keys.put("mode", actor.mode().name().toLowerCase(Locale.ROOT));
        }
        if (actor.sandbox() != null) {
            keys.put("sandbox", actor.sandbox().toString());
        }
        keys.put("sha256", sha256);
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.FLOW);
        options.setWidth(Integer.MAX_VALUE);
        options.setSplitLines(false);
        return new org.yaml.snakeyaml.Yaml(options).dump(keys).strip();
    }

    private MappingNode root() {
        return (MappingNode) new org.yaml.snakeyaml.Yaml().compose(new StringReader(text));
    }

    private SequenceNode list() {
        return (SequenceNode) root().getValue().getFirst().getValueNode();
    }

    /** Marks count code points. */
    private int start(Node node) {
        return text.offsetByCodePoints(0, node.getStartMark().getIndex());
    }

    /** After its last character: the mark of a block is where the next thing begins. */
    private int end(Node node) {
        if (node instanceof CollectionNode<?> many && many.getFlowStyle() == DumperOptions.FlowStyle.BLOCK) {
            return end(
                    node instanceof MappingNode mapping
                            ? mapping.getValue().getLast().getValueNode()
                            : (Node) many.getValue().getLast());
        }
        int end = text.offsetByCodePoints(0, node.getEndMark().getIndex());
        return node instanceof ScalarNode
                ? text.substring(0, end).stripTrailing().length()
                : end;
    }

    private int lineStart(int at) {
        return text.lastIndexOf('\n', at - 1) + 1;
    }

    private int lineEnd(int at) {
        int end = text.indexOf('\n', at);
        return end < 0 ? text.length() : end + 1;
    }
}
