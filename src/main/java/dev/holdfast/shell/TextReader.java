package dev.holdfast.shell;

import dev.holdfast.shell.Script.HereDocument;
import dev.holdfast.shell.SimpleCommand.Assignment;
import dev.holdfast.shell.SimpleCommand.Runs;
import dev.holdfast.shell.grammar.Grammar;
import dev.holdfast.shell.grammar.Node;
import dev.holdfast.shell.grammar.Scan;
import dev.holdfast.shell.grammar.Source;
import dev.holdfast.shell.grammar.Substitutions;
import dev.holdfast.shell.word.Word;
import java.util.List;
import java.util.regex.Pattern;

/** Walks the tree of one text: that which was given, or one for another shell in it. */
final class TextReader {
    private static final Pattern ARITHMETIC =
            Pattern.compile("\\(\\((?:[\\w\\s()+*/%<>=!&|^~?:,-]|\\$\\w)*+(?<=\\)\\))");

    private final Reader reader;
    private final Source source;
    private final Scan scan;
    private final Redirects redirects;

    private TextReader(Reader reader, Scan scan) {
        this.reader = reader;
        this.scan = scan;
        source = scan.source();
        redirects = new Redirects(reader, scan, this);
    }

    static void read(Reader reader, Source source, Place place) {
        Scan scan = Scan.of(source, true);
        Grammar.Parsed parsed = Grammar.parsed(scan.masked());
        Node tree = parsed.tree();
        boolean agree = tree == null
                || tree.hereDocuments(scan.bodies().keySet()) == scan.bodies().size();
        if (!agree) {
            // Nothing is left out then.
            scan = Scan.of(source, false);
            parsed = Grammar.parsed(scan.masked());
        }
        new TextReader(reader, scan).read(parsed, agree && !scan.isDoubtful(), place);
    }

    private void read(Grammar.Parsed parsed, boolean understood, Place place) {
        scan.bodies().values().stream()
                .map(body -> new HereDocument(
                        body.text().start(), body.end(), body.text().end() == body.end()))
                .forEach(reader::hereDocument);
        Node tree = parsed.tree();
        if (parsed.tooMuch()) {
            reader.unread();
        } else if (tree != null) {
            tree(tree, place);
        }
        if (tree == null || tree.is(Node.ERROR) || !understood) {
            reader.notUnderstood();
            reader.runUnlessThere(RoughCommands.of(scan));
        }
    }

    private void tree(Node node, Place place) {
        switch (node.type()) {
            case String test
            when test.equals("command") && isArithmetic(node) -> reader.asides().add(words(node, place));
            case "command", "declaration_command", "unset_command" ->
                reader.bothWays(() -> runParts(parts(node, new Parts(place))));
            case "pipeline" -> pipeline(node, place);
            case "redirected_statement" -> reader.bothWays(() -> redirected(node.children(), place));
            case "subshell" -> reader.apart(() -> children(node, place));
            case "command_substitution", "process_substitution" -> substitution(node, false, place.alone());
            case String word when Asides.WORDS.contains(word) -> reader.asides().add(words(node, place));
            case "comment" -> reader.asides().comment(node, source);
            case "function_definition" -> function(node, place);
            case "variable_assignment" -> assign(node);
            case "for_statement" -> loop(node, place);
            case Node.ERROR -> {
                reader.notUnderstood();
                children(node, place);
            }
            default -> children(node, place);
        }
    }

    /** {@code (( a > 3 ))}, which the grammar takes for a command. What may hide a substitution in it is none here. */
    private boolean isArithmetic(Node node) {
        return ARITHMETIC
                .matcher(source.text())
                .region(node.start(), node.end())
                .matches();
    }

    private void children(Node node, Place place) {
        Place at = place;
        for (Node child : node.children()) {
            int before = reader.count();
            tree(child, at);
            boolean isOne = child.is("command") || child.is("redirected_statement");
            at = isOne && reader.count() > before
                    ? at.after(reader.since(before).getLast())
                    : at;
        }
    }

    private void pipeline(Node node, Place place) {
        Place next = place;
        for (Node child : node.children()) {
            int before = reader.count();
            Place at = next;
            reader.apart(() -> tree(child, at));
            if (reader.count() > before) {
                next = place.from(reader.since(before));
            }
        }
    }

    private void redirected(List<Node> children, Place place) {
        Parts around = new Parts(place);
        int before = reader.count();
        children.forEach(child -> redirects.read(child, around));
        Place inside = new Place(
                place.behind(), Place.plus(place.from(), around.from), List.copyOf(around.redirects), around.input);
        int listed = reader.count();
        for (Node child : children) {
            if (child.is("command") && !around.words.isEmpty()) {
                // Words behind a redirect are arguments of the command before it.
                Parts parts = parts(child, new Parts(inside));
                parts.words.addAll(around.words);
                runParts(parts);
            } else if (!child.type().endsWith("_redirect")) {
                tree(child, inside);
            }
        }
        boolean opens = children.stream().anyMatch(child -> child.type().endsWith("_redirect"));
        if (opens && !around.areOpenedBy(reader.since(listed))) { // a test, or nothing, opens them all the same
            reader.list(List.of(Word.of(":")), new Parts(inside), Runs.NO_TEXT);
        }
        outputs(around, before);
    }

    /** @param quoted whether it stands in double quotes */
    private void substitution(Node node, boolean quoted, Place place) {
        if (node.children().isEmpty() || source.text().charAt(node.start()) == '`') {
            substitution(source, node, quoted, place);
        } else {
            reader.apart(() -> children(node, place));
        }
    }

    void substitution(Source of, Node node, boolean quoted, Place place) {
        reader.apart(() -> reader.within(Substitutions.inside(of, node, quoted), place));
    }

    /** What gets the output of what was listed since. */
    private void outputs(Parts parts, int before) {
        Place place = parts.place.alone().from(reader.since(before));
        parts.outputs.forEach(node -> substitution(node, false, place));
    }

    private void function(Node node, Place place) {
        String name = source.written(node.child("word"));
        List<Node> children =
                node.children().stream().filter(child -> !child.is("word")).toList();
        Runnable body = () -> redirected(children, place);
        reader.function(name, body, node.isBomb(source.text(), name));
    }

    private void loop(Node node, Place place) {
        Parts parts = new Parts(place);
        Node name = node.child("variable_name");
        Node body = node.children().getLast();
        List<Word> values = node.children().stream()
                .filter(child -> child.start() > name.end()
                        && child.start() < body.start()
                        && !child.type().matches("in|;|\n"))
                .flatMap(child -> words(child, parts).stream())
                .toList();
        reader.asides().add(values);
        reader.assigned(new Assignment(source.written(name), Word.of("")));
        outputs(parts, reader.count());
        boolean listed = node.children().stream().anyMatch(child -> child.is("in"));
        reader.variables()
                .each(
                        source.written(name),
                        listed ? values : reader.variables().get("@").orElse(List.of()),
                        body.end() - body.start(),
                        () -> tree(body, place.from(parts.from)));
    }

    private Assignment assignment(Node node, Parts parts) {
        List<Node> children = node.children();
        Node target = children.isEmpty() ? node : children.getFirst();
        Node name = (target.is("subscript") ? target : node).child("variable_name");
        if (target.is("subscript")) {
            reader.asides().add(words(target, parts));
        }
        List<Word> value = children.size() > 2 ? words(children.getLast(), parts) : List.of();
        Assignment assignment = new Assignment(source.written(name), value.isEmpty() ? Word.of("") : value.getFirst());
        List<Assignment> elements = reader.asides().array(node, source, reader.variables());
        (elements.isEmpty() ? List.of(assignment) : elements).forEach(reader::assigned);
        return assignment;
    }

    /** One that stays, not in front of a command. */
    private void assign(Node node) {
        Parts parts = new Parts(Place.TOP);
        Assignment assignment = assignment(node, parts);
        outputs(parts, reader.count());
        reader.variables().assign(assignment.name(), List.of(assignment.value()));
    }

    private void runParts(Parts parts) {
        int before = reader.count();
        if (!parts.words.isEmpty()) {
            reader.run(parts.words, parts);
        }
        outputs(parts, before);
    }

    private Parts parts(Node node, Parts parts) {
        List<Node> children = node.children();
        for (int i = 0; i < children.size(); i++) {
            Node child = children.get(i);
            if (node.is("declaration_command")
                    && i > 0
                    && children.get(i - 1).end() == child.start()
                    && !child.type().endsWith("redirect")) {
                reader.notUnderstood(); // the grammar makes several of one word: A"B"=x
            }
            switch (child.type()) {
                case "variable_assignment" -> {
                    if (node.is("command")) {
                        parts.assignments.add(assignment(child, parts));
                    } else {
                        reader.asides().array(child, source, reader.variables()).forEach(reader::assigned);
                        List<Word> declared = words(child, parts);
                        reader.variables().declare(declared);
                        parts.words.addAll(declared);
                    }
                }
                case "file_redirect" -> redirects.read(child, parts);
                case Node.ERROR -> {
                    reader.notUnderstood();
                    tree(child, parts.place);
                }
                default -> parts.words.addAll(words(child, parts));
            }
        }
        return parts;
    }

    private List<Word> words(Node node, Place place) {
        Parts parts = new Parts(place);
        List<Word> read = words(node, parts);
        outputs(parts, reader.count());
        return read;
    }

    List<Word> words(Node node, Parts parts) {
        WordReader words = new WordReader(
                source,
                reader.variables(),
                (substitution, quoted) -> {
                    if (source.text().charAt(substitution.start()) == '>') {
                        parts.outputs.add(substitution);
                        return;
                    }
                    int before = reader.count();
                    substitution(substitution, quoted, parts.place.alone());
                    parts.from.addAll(reader.since(before));
                },
                reader::byDefault);
        List<Word> read = words.read(node);
        if (!words.isAllRead()) {
            reader.notUnderstood();
        }
        return read;
    }
}
