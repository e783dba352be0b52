package dev.holdfast.render;

import dev.holdfast.shell.Script;
import dev.holdfast.shell.Script.HereDocument;
import dev.holdfast.shell.SimpleCommand;
import dev.holdfast.shell.word.Word;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where in a command's text secrets are. It guesses: a secret that looks like nothing is not found. What refers to one
 * ({@code $TOKEN}, a file) is none.
 */
final class Secrets {
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{?\\w+}?");
    private static final Pattern ESCAPED = Pattern.compile("\\\\.");
    /** Of a text that follows no grammar. */
    private static final Pattern ROUGH_WORD = Pattern.compile("\"[^\"\\n]*+\"|'[^'\\n]*+'|[^\\s\"';|&()]++");

    private static final Pattern BLANK = Pattern.compile("\\s");
    /** In such a text, what prints into what. */
    private static final Pattern PIPE =
            Pattern.compile("\\b((?:echo|printf)\\s(?:\"[^\"]{0,200}+\"|'[^']{0,200}+'|[^|;&\"'\\n]{1,200}+){0,20}+)"
                    + "\\|\\s*+([^|;&\\n]*+)");
    /** Programs that hand a text to a shell on another machine, or in a container; or that read one. */
    private static final Set<String> ELSEWHERE =
            Set.of("lftp", "ssh", "docker", "podman", "nerdctl", "kubectl", "oc", "crictl", "lxc", "incus", "vagrant");

    private static final Pattern BARE_WORD = Pattern.compile("[^\\s\"';|&()]++");

    private final String text;
    private final BitSet places = new BitSet();

    private Secrets(String text) {
        this.text = text;
    }

    /**
     * @param text that the script was read from; of a program and its arguments these, with a blank between two
     * @return the places of their characters
     */
    static BitSet in(String text, Script script) {
        Secrets secrets = new Secrets(text);
        SecretShapes.findAnywhere(text, secrets::add);
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (SimpleCommand command : script.commands()) {
            command.behind().stream().filter(seen::add).forEach(secrets::words);
            secrets.words(command.words());
            SecretInput.find(command, secrets);
            if (command.input() != null && seen.add(command.input())) {
                secrets.word(command.input());
            }
        }
        script.asides().forEach(secrets::words);
        script.comments().forEach(secrets::rough);
        for (SimpleCommand.Assignment assignment : script.assignments()) {
            secrets.word(assignment.value());
            if (SecretNames.isSecret(assignment.name())) {
                secrets.add(assignment.value(), 0);
            }
        }
        script.hereDocuments().forEach(secrets::hereDocument);
        if (!script.understood()) {
            secrets.rough(Word.of(text));
        }
        return secrets.places;
    }

    private void words(List<Word> words) {
        words.forEach(this::word);
        if (!words.isEmpty()) {
            if (BLANK.matcher(words.getFirst().text()).find()) {
                // A program with its first arguments, in one.
                List<Word> all = new ArrayList<>(parts(words.getFirst(), BARE_WORD));
                all.addAll(words.subList(1, words.size()));
                if (all.size() > 1 && !BLANK.matcher(all.getFirst().text()).find()) {
                    words(all);
                }
            }
            SecretOptions.find(words, this);
            boolean elsewhere = ELSEWHERE.contains(words.getFirst().name());
            words.stream()
                    .limit(elsewhere ? words.size() : 1)
                    .filter(word -> BLANK.matcher(word.text()).find())
                    .forEach(this::rough);
        }
    }

    private void word(Word word) {
        SecretShapes.find(word.text(), (from, to) -> add(word, from, to));
    }

    private void hereDocument(HereDocument body) {
        if (body.end() > body.start()) {
            SecretShapes.findInFile(
                    text.substring(body.start(), body.end()),
                    (from, to) -> add(body.start() + from, body.start() + to));
        }
    }

    /** By quotes and blanks, and by blanks alone: in a comment a quote may be an apostrophe. */
    private void rough(Word whole) {
        word(whole);
        words(parts(whole, ROUGH_WORD));
        words(parts(whole, BARE_WORD));
        Matcher pipe = PIPE.matcher(whole.text());
        while (pipe.find()) {
            SecretInput.find(
                    parts(whole.part(pipe.start(1), pipe.end(1)), ROUGH_WORD),
                    parts(whole.part(pipe.start(2), pipe.end(2)), ROUGH_WORD),
                    this);
        }
    }

    private static List<Word> parts(Word whole, Pattern pattern) {
        List<Word> parts = new ArrayList<>();
        Matcher part = pattern.matcher(whole.text());
        while (part.find()) {
            int quote = "\"'".indexOf(part.group().charAt(0)) >= 0 ? 1 : 0;
            if (part.end() - part.start() > 2 * quote) {
                parts.add(whole.part(part.start() + quote, part.end() - quote));
            }
        }
        return parts;
    }

    /** From a character of the word's text to its end. */
    void add(Word word, int from) {
        add(word, from, word.text().length());
    }

    /** From a character of the word's text to another; nothing where that refers to a secret, or there is none. */
    void add(Word word, int from, int to) {
        if (to <= from || (SecretNames.isHarmless(word.text().substring(from, to)) && !isLiteral(word, from))) {
            return;
        }
        int start = word.places()[from];
        int last = word.places()[to - 1];
        if (start == last && to - from > 1) {
            // The value of a variable, known from elsewhere.
            return;
        }
        Matcher variable = VARIABLE.matcher(text).region(last, text.length());
        int end = variable.lookingAt() ? variable.end() : last + 1;
        // Quotes that end or begin within it go with it.
        String within = ESCAPED.matcher(text.substring(start, end)).replaceAll("");
        if (start > 0 && isQuoteOf(within, start - 1)) {
            start--;
        }
        if (end < text.length() && isQuoteOf(within, end)) {
            end++;
        }
        while (to == word.text().length() && end < text.length() && !endsWord(end)) {
            // The grammar takes some words for two.
            end = Math.min(text.length(), end + (text.charAt(end) == '\\' ? 2 : 1));
        }
        add(start, end);
    }

    /** A dollar sign that means nothing to the shell. */
    private boolean isLiteral(Word word, int from) {
        int start = word.places()[from];
        return word.known() && word.text().charAt(from) == '$' && start > 0 && text.charAt(start - 1) == '\'';
    }

    private boolean endsWord(int at) {
        char c = text.charAt(at);
        return Character.isWhitespace(c)
                || ";|&<>(){},\"'`".indexOf(c) >= 0
                || (c == '\\' && (at + 1 == text.length() || "\"'\n".indexOf(text.charAt(at + 1)) >= 0));
    }

    private boolean isQuoteOf(String within, int at) {
        return "\"'".indexOf(text.charAt(at)) >= 0 && within.indexOf(text.charAt(at)) >= 0;
    }

    private void add(int from, int to) {
        places.set(from, to);
    }
}
