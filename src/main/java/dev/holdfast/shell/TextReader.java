package dev.holdfast.shell;

import dev.holdfast.shell.HereDocumentBodies.Body;
import dev.holdfast.shell.SimpleCommand.Assignment;
import dev.holdfast.shell.SimpleCommand.Runs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** Walks the tree of one text: that which was given, or one for another shell in it. */
final class TextReader {
    private final Reader reader;
    private final String text;
    private final int[] places;
    /** The here-documents whose operator stands at a place. */
    private final NavigableMap<Integer, Body> bodies = new TreeMap<>();

    /** @param places of its characters in the outermost text, and of its end */
    TextReader(Reader reader, String text, int[] places) {
        this.reader = reader;
        this.text = text;
        this.places = places;
    }

    void read(Place place) {
        Optional<Node> tree = Grammar.tree(text);
        if (tree.isPresent() && text.contains("<<")) {
            bodies.putAll(HereDocumentBodies.of(text, tree.get()));
            tree = bodies.isEmpty() ? tree : Grammar.tree(HereDocumentBodies.leaveOut(text, bodies));
        }
        bodies.values().stream().map(body -> body.place(places)).forEach(reader::hereDocument);
        if (tree.isEmpty()) {
            reader.notUnderstood();
        } else {
            tree(tree.get(), place);
        }
    }

    private void tree(Node node, Place place) {
        switch (node.type()) {
            case "command", "declaration_command", "unset_command" -> reader.bothWays(() -> command(node, place));
            case "pipeline" -> pipeline(node, place);
            case "redirected_statement" -> reader.bothWays(() -> redirected(node, place));
            case "subshell" -> reader.apart(() -> children(node, place));
            case "command_substitution", "process_substitution" ->
                reader.apart(() -> children(node, new Place(place.behind(), List.of(), List.of(), null)));
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

    private void children(Node node, Place place) {
        node.children().forEach(child -> tree(child, place));
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

    private void redirected(Node node, Place place) {
        Parts around = new Parts(place);
        node.children().forEach(child -> redirect(child, around));
        Place inside = new Place(
                place.behind(), Place.plus(place.from(), around.from), List.copyOf(around.redirects), around.input);
        if (node.children().stream().allMatch(child -> child.type().endsWith("_redirect"))) {
            reader.list(List.of(Word.of(":")), new Parts(inside), Runs.NO_TEXT);
        }
        for (Node child : node.children()) {
            if (child.is("command") && !around.words.isEmpty()) {
                // Words behind a redirect are arguments of the command before it.
                Parts parts = new Parts(inside);
                parts(child, parts);
                parts.words.addAll(around.words);
                runParts(parts);
            } else if (!child.type().endsWith("_redirect")) {
                tree(child, inside);
            }
        }
    }

    private void redirect(Node node, Parts parts) {
        if (node.is("herestring_redirect")) {
            List<Word> words = node.children().stream()
                    .filter(child -> !child.is("<<<"))
                    .flatMap(child -> words(child, parts).stream())
                    .toList();
            parts.input = words.isEmpty() ? Word.of("") : Runner.joined(words);
        } else if (node.is("file_redirect")) {
            fileRedirect(node, parts);
        }
    }

    private void fileRedirect(Node node, Parts parts) {
        int operatorAt = text.substring(node.start(), node.end()).indexOf('<');
        Body body = operatorAt < 0 ? null : bodies.get(node.start() + operatorAt);
        String operator = "";
        List<Word> targets = new ArrayList<>();
        for (Node child : node.children()) {
            if (child.children().isEmpty() && child.type().matches("[<>&|0-9-]+")) {
                operator = child.type();
            } else if (child.is(Node.ERROR)) {
                reader.notUnderstood();
            } else if (!child.is("file_descriptor")) {
                targets.addAll(words(child, parts));
            }
        }
        if (body != null) {
            parts.input = body(body, parts);
        } else if (!targets.isEmpty()) {
            parts.redirects.add(new Redirect(operator, targets.getFirst()));
        }
        parts.words.addAll(targets.subList(Math.min(1, targets.size()), targets.size()));
    }

    private Word body(Body body, Parts parts) {
        List<Node> substitutions = body.substitutions(text);
        substitutions.forEach(substitution -> words(substitution, parts));
        return new Word(
                text.substring(body.start(), body.lastLine()),
                substitutions.isEmpty(),
                false,
                Arrays.copyOfRange(places, body.start(), body.lastLine()),
                places[body.start()],
                places[body.lastLine()]);
    }

    private void function(Node node, Place place) {
        String name =
                text.substring(node.child("word").start(), node.child("word").end());
        Runnable body = () ->
                node.children().stream().filter(child -> !child.is("word")).forEach(child -> tree(child, place));
        reader.function(name, body, node.children().stream().anyMatch(child -> callsInBackground(child, name, false)));
        reader.apart(body);
    }

    /**
     * Through a pipe or with {@code &}: more of it each time, and nobody waits. A loop behind a pipe ends with its
     * input.
     */
    private boolean callsInBackground(Node node, String name, boolean apart) {
        if (node.is("command_name")
                && apart
                && text.substring(node.start(), node.end()).equals(name)) {
            return true;
        }
        boolean alone = (apart && !node.is("while_statement"))
                || node.is("pipeline")
                || node.children().stream().anyMatch(child -> child.is("&"));
        return node.children().stream().anyMatch(child -> callsInBackground(child, name, alone));
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
        reader.variables().assign(text.substring(name.start(), name.end()), values);
        tree(body, place.from(parts.from));
    }

    private Assignment assignment(Node node, Parts parts) {
        List<Node> children = node.children();
        Node name = node.child("variable_name");
        List<Word> value = children.size() > 2 ? words(children.getLast(), parts) : List.of();
        Assignment assignment = new Assignment(
                text.substring(name.start(), name.end()), value.isEmpty() ? Word.of("") : value.getFirst());
        reader.assigned(assignment);
        return assignment;
    }

    /** One that stays, not in front of a command. */
    private void assign(Node node) {
        Assignment assignment = assignment(node, new Parts(Place.TOP));
        reader.variables().assign(assignment.name(), List.of(assignment.value()));
    }

    private void declaration(List<Word> words, Parts parts) {
        for (Word word : words) {
            int equals = word.text().indexOf('=');
            if (equals > 0) {
                reader.variables().assign(word.text().substring(0, equals), List.of(word.from(equals + 1)));
            }
        }
        parts.words.addAll(words);
    }

    private void command(Node node, Place place) {
        Parts parts = new Parts(place);
        parts(node, parts);
        runParts(parts);
    }

    private void runParts(Parts parts) {
        if (!parts.words.isEmpty()) {
            reader.run(parts.words, parts);
        }
    }

    private void parts(Node node, Parts parts) {
        for (Node child : node.children()) {
            switch (child.type()) {
                case "variable_assignment" -> {
                    if (node.is("command")) {
                        parts.assignments.add(assignment(child, parts));
                    } else {
                        declaration(words(child, parts), parts);
                    }
                }
                case "file_redirect", "herestring_redirect" -> redirect(child, parts);
                case Node.ERROR -> {
                    reader.notUnderstood();
                    tree(child, parts.place);
                }
                default -> parts.words.addAll(words(child, parts));
            }
        }
    }

    private List<Word> words(Node node, Parts parts) {
        return new WordReader(
                        text,
                        places,
                        reader.variables(),
                        substitution -> {
                            int before = reader.count();
                            tree(substitution, parts.place);
                            parts.from.addAll(reader.since(before));
                        },
                        reader::byDefault)
                .read(node);
    }
}
