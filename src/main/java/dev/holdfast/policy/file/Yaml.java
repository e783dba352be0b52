package dev.holdfast.policy.file;

import dev.holdfast.task.Sandbox;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.reader.ReaderException;

/** A place in a YAML text, read strictly: each wrong type or key is told with its line. */
public final class Yaml {
    private static final Set<String> WALLS =
            Set.of("none", "read_only", "workspace_write", "read_only+network", "workspace_write+network");

    private final String name;
    private final Node node;

    private Yaml(String name, Node node) {
        this.name = name;
        this.node = node;
    }

    /** @param beginning how such a file begins, for who wrote an empty one */
    public static Yaml parse(String text, String beginning) throws PolicyFileException {
        try {
            Node root = new org.yaml.snakeyaml.Yaml(new LoaderOptions()).compose(new StringReader(text));
            if (root == null) {
                throw PolicyFileException.at(1, "the file is empty", "Begin with `" + beginning + "`, or remove it.");
            }
            return new Yaml("the file", root);
        } catch (MarkedYAMLException e) {
            int line = e.getProblemMark() == null ? 1 : e.getProblemMark().getLine() + 1;
            throw PolicyFileException.at(line, "it is no YAML: " + e.getProblem(), "Mend or quote what stands there.");
        } catch (ReaderException e) {
            int line = 1
                    + (int) text.codePoints()
                            .limit(e.getPosition())
                            .filter(c -> c == '\n')
                            .count();
            throw PolicyFileException.at(line, "it holds a character that YAML refuses", "Remove it.");
        } catch (YAMLException e) {
            throw PolicyFileException.at(1, "it is no YAML that is read here: " + e.getMessage(), "Make it simpler.");
        }
    }

    public int line() {
        return node.getStartMark().getLine() + 1;
    }

    public PolicyFileException flaw(String problem, String remedy) {
        return PolicyFileException.at(line(), "`" + name + "` " + problem, remedy);
    }

    /** The values by their keys, of which there are no others than these, and none twice. */
    public Map<String, Yaml> keys(Set<String> known) throws PolicyFileException {
        Map<String, Yaml> all = keys();
        for (Map.Entry<String, Yaml> entry : all.entrySet()) {
            if (!known.contains(entry.getKey())) {
                throw PolicyFileException.at(
                        entry.getValue().line(),
                        "`" + entry.getKey() + "` is no key of " + (name.startsWith("the ") ? name : "`" + name + "`"),
                        "There are " + known.stream().sorted().collect(Collectors.joining(", ")) + ".");
            }
        }
        return all;
    }

    public Map<String, Yaml> keys() throws PolicyFileException {
        if (!(node instanceof MappingNode mapping)) {
            throw flaw("must be a mapping of keys to values", "Write it as `key: value`.");
        }
        Map<String, Yaml> all = new LinkedHashMap<>();
        for (NodeTuple entry : mapping.getValue()) {
            String key = entry.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "?";
            if (all.put(key, new Yaml(key, entry.getValueNode())) != null) {
                int line = entry.getKeyNode().getStartMark().getLine() + 1;
                throw PolicyFileException.at(line, "`" + key + "` stands there twice", "Keep one of them.");
            }
        }
        return all;
    }

    public List<Yaml> items() throws PolicyFileException {
        if (!(node instanceof SequenceNode list)) {
            throw flaw("must be a list", "Begin each item with `- `.");
        }
        return list.getValue().stream().map(item -> new Yaml(name, item)).toList();
    }

    /** One text, or a list of them with at least one; none where it is left out. */
    public static List<Yaml> oneOrMore(@Nullable Yaml value) throws PolicyFileException {
        if (value == null) {
            return List.of();
        }
        List<Yaml> items = value.node instanceof SequenceNode ? value.items() : List.of(value);
        if (items.isEmpty()) {
            throw value.flaw("is an empty list, which would match nothing", "Leave the key out, or name something.");
        }
        return items;
    }

    public static List<String> texts(@Nullable Yaml value) throws PolicyFileException {
        List<String> texts = new ArrayList<>();
        for (Yaml one : oneOrMore(value)) {
            texts.add(one.text());
        }
        return List.copyOf(texts);
    }

    public static <E extends Enum<E>> Set<E> constants(@Nullable Yaml value, Class<E> type) throws PolicyFileException {
        Set<E> constants = EnumSet.noneOf(type);
        for (Yaml one : oneOrMore(value)) {
            constants.add(one.constant(type));
        }
        return constants;
    }

    public String text() throws PolicyFileException {
        boolean isText = node instanceof ScalarNode
                && (node.getTag().equals(Tag.STR) || (node.getTag().equals(Tag.BOOL) && !isTruth()));
        if (!isText) {
            throw flaw("must be a text", "Put it into quotes.");
        }
        String text = ((ScalarNode) node).getValue();
        if (text.isBlank()) {
            throw flaw("must not be blank", "Leave the key out, or write something.");
        }
        return text;
    }

    public boolean truth() throws PolicyFileException {
        if (!(node instanceof ScalarNode scalar) || !node.getTag().equals(Tag.BOOL) || !isTruth()) {
            throw flaw("must be true or false", "Write one of them, without quotes.");
        }
        return scalar.getValue().equals("true");
    }

    /** YAML takes {@code on}, {@code no} and {@code yes} for truths too, here they are texts. */
    private boolean isTruth() {
        String value = ((ScalarNode) node).getValue();
        return value.equals("true") || value.equals("false");
    }

    /**
     * What names a wall, null for {@code none}.
     *
     * @param remedy for what names nothing that is one
     */
    @Nullable
    public Sandbox wall(String remedy) throws PolicyFileException {
        String text = text();
        if (!WALLS.contains(text)) {
            throw flaw("is not `" + text + "`", remedy);
        }
        return text.equals("none") ? null : Sandbox.parse(text);
    }

    public boolean isNumber(int wanted) {
        return node instanceof ScalarNode scalar
                && node.getTag().equals(Tag.INT)
                && scalar.getValue().equals(Integer.toString(wanted));
    }

    public <E extends Enum<E>> E constant(Class<E> type) throws PolicyFileException {
        String text = text();
        List<String> names = Stream.of(type.getEnumConstants())
                .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                .toList();
        if (!names.contains(text)) {
            throw flaw("is not `" + text + "`", "Write one of " + String.join(", ", names) + ".");
        }
        return Enum.valueOf(type, text.toUpperCase(Locale.ROOT));
    }
}
